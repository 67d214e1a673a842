"""Textual's drivers: our own way from and to a terminal."""
