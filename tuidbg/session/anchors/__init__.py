"""Breakpoints stay at their statements while the source is edited."""
