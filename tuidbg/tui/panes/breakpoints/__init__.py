"""The breakpoints pane."""
