"""The help: the keys that are in force, and the manual's pages inside."""
