"""The stack pane."""
