"""Textual drivers: tuidbg's own terminal input and output."""
