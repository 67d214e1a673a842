"""What people debug, tried with pinned versions: ``uv run python -m tests.compatibility NAME``."""
