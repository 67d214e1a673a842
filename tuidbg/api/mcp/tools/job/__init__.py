"""The tools about all processes of a program at once."""
