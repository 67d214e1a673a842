"""The profile of Delve: Go."""
