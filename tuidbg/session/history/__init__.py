"""What was seen at past stops."""
