"""Installed adapters, and how to install missing ones."""
