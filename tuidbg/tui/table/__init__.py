"""Values as tables."""
