"""Breakpoint pane, dialogs and commands."""
