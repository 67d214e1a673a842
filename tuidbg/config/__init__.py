"""Reads what the person wants, before anything runs."""
