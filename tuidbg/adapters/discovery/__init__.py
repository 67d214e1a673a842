"""Tells which adapters a machine has, and how the missing ones are installed."""
