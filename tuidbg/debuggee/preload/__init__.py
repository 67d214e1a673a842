"""What is done in a program before debugpy is imported there."""
