"""Runs the other files in the program."""
