"""Holds what the program and the debugger write: the console's lines, and who follows them."""
