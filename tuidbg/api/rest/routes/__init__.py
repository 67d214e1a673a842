"""The relay's routes."""
