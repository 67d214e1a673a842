"""Configuration, read before anything runs."""
