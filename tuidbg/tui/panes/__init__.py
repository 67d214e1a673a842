"""The panes of a session on one screen, and what they show."""
