"""Tells why a breakpoint does not stop, and what would mend it."""
