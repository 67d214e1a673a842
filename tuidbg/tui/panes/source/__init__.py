"""The source pane."""
