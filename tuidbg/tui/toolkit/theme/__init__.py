"""Themes and their colors."""
