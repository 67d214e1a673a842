"""The recorded run of a program, on the real debugpy."""
