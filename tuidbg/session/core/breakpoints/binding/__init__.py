"""Breakpoint binding: sends breakpoints to the adapter and merges its replies."""
