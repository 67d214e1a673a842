"""Widgets that several features use."""
