"""State, events and errors of a session: plain data."""
