"""Breakpoints: what was asked for, and what the adapter made of it."""
