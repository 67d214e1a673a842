"""What the program starts."""
