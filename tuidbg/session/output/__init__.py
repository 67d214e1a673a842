"""What the program and the debugger write: the console's lines, and those who follow them."""
