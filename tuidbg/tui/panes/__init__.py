"""The panes. They know values of the session's state and post messages; the app does the rest."""
