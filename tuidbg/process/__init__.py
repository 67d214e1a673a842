"""Processes and terminals of this machine, independent of the debugger."""
