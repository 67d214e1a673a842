"""The trace pane."""
