"""Recordings of one call of a function."""
