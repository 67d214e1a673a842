"""Text documents: highlighting and search."""
