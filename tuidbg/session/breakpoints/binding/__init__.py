"""Between what a person asked for and the adapter: sends breakpoints, merges its answers."""
