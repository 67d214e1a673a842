"""Recorded function calls."""
