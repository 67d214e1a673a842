"""The line mode: the debugger for pipes, dumb terminals and screen readers."""
