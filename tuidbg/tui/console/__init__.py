"""The console: what was said, and the prompt."""
