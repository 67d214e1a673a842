"""Breakpoint anchors: breakpoints follow their statements while the source is edited."""
