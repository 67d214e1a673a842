"""The program's terminal: its cells, its text, its place."""
