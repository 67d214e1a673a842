"""The timeline of past stops."""
