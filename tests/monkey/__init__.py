"""A monkey at the real tuidbg: random keys, mouse, sizes, pastes and broken sequences, by a seed.

A minute of it runs with the tests. An hour of it, or one run again that went wrong::

    uv run python -m tests.monkey --minutes 60 --jobs 2
    uv run python -m tests.monkey --runs 1 --seed 4711
"""
