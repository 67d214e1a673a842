"""Processes and terminals of this machine, whatever the debugger does with them."""
