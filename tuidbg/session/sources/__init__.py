"""The sources of the program: which count, where they are, what they define."""
