"""The application: its screens, the start, the command table, the help."""
