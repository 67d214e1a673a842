"""The REST relay: routes of a few lines over the core."""
