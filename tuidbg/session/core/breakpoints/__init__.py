"""Breakpoints: the requested settings and the adapter's results."""
