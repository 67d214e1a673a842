"""The stops seen so far, with their stacks and values."""
