"""Asks the interpreter of a program about its sources."""
