"""Breakpoints stop where the language says, whoever finds the lines: debugpy or our engine."""
