"""The commands that tests of the bar see given, and no more."""

from __future__ import annotations

ENDS_THE_TEST = {"quit", "restart", "stop", "pause", "resume", "step_out", "run_to_cursor"}
"""They would end the test, go far, or change the state that is looked at."""


class Given(list[str]):
    """Names of commands in the order of their keys; ``run`` says whether they do anything."""

    run = True
