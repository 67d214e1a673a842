"""The variables pane."""
