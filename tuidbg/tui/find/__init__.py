"""Finding text, definitions and modules."""
