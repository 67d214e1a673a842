"""What the person asked to stop at, and what the adapter made of it."""
