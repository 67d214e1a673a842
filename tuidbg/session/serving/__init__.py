"""Sessions shared with API clients: their calls, and the log of these."""
