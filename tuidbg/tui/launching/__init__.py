"""Launching and attaching by dialogs."""
