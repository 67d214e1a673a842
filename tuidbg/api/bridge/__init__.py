"""The command bridge: a few actions on the current session."""
