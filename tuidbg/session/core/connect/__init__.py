"""Connecting to a running program, local or remote."""
