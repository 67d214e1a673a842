"""Finds the virtual environments of a project, and Poetry's."""
