"""The commands of the line mode by subject, and their table."""
