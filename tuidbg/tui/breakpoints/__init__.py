"""Breakpoints on the screen: the pane, the dialogs, the commands."""
