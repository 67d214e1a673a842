"""The terminal front end: panes that show a session, and the app that joins them to it."""
