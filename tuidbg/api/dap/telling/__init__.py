"""Tells what clients are told unasked: DAP's events, of what happens in a session."""
