"""Launching and attaching by dialogs; the start screen."""
