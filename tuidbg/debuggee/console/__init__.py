"""The prompt inside the program."""
