"""The recorded stops of a session."""
