"""What the interpreter of a program says of its sources."""
