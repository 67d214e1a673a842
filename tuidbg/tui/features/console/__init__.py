"""The console: output and prompt."""
