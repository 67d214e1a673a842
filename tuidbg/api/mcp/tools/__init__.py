"""The tools of the default set."""
