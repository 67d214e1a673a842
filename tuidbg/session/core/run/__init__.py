"""One run of a program: its start, its end, and its processes."""
