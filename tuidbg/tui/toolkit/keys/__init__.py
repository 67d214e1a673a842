"""Key maps, and what a key means in a list."""
