"""Search for text, definitions and modules."""
