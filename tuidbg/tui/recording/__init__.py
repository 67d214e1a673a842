"""Recorded calls of functions."""
