"""The help: the active keys, and the manual's pages."""
