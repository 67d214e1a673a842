"""Measures how fast tuidbg is, against its peers, measured on this machine in one run.

A command, no test: ``uv run python -m tests.benchmarks``. Each debugger is the real command on a
pseudo-terminal of 140x40, its keys are pressed and its screen is read through a terminal emulator.
The whole takes about ten minutes; ``--only step,start`` and ``--who tuidbg`` choose, ``--runs 5``
is quicker, ``--json FILE`` keeps every sample. Leave the machine alone meanwhile.
"""
