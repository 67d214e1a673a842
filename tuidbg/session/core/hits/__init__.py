"""Hits of breakpoints: their counts, conditions, messages and records."""
