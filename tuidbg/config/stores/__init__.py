"""Remembers what lasts between runs: files in the user's state folder."""
