"""debugpy: the adapter for Python, and everything that is peculiar about it."""
