"""Widgets, dialogs, keys, themes and terminal drivers: nothing of a session."""
