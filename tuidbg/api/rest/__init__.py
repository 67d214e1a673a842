"""The REST relay (R003): routes of a few lines over the core."""
