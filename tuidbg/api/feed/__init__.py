"""Holds what programs read of a session: its events in DAP's terms, and its output."""
