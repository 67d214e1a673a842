"""How fast tuidbg is, against its peers, measured on this machine in one run.

A command, no test: ``uv run python -m tests.benchmarks``. Each debugger is the real command on a
pseudo-terminal of 140x40, its keys are pressed and its screen is read through a terminal emulator.
"""
