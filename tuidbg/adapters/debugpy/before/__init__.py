"""Holds what is done in a program before debugpy is imported there, by any Python of programs."""
