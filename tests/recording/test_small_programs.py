"""A recording is what a tracer sees that copies everything, of most small programs of all shapes.

What differs are changes behind what a call returns, default dicts in arguments of calls, and
attributes that are changed by another name for their dict; see with ``python -m
tests.recording.truth --count 20000 --python PATH``.
"""

from __future__ import annotations

import pytest

from tests.recording.test_oracle import every_python, oldest_and_newest
from tests.recording.truth.comparison import Tally
from tests.recording.truth.programs import made, run
from tests.support.interpreters import SUPPORTED, Version

pytestmark = pytest.mark.real

MOST_FAILING = 1 / 3
"""The share of programs of which something is recorded wrongly; the fewer, the better."""


def failing_share(version: Version, count: int) -> float:
    """The share of programs that differ; prints the first differences of each."""
    tally = Tally()
    texts = made(count, 0)
    failing = run(SUPPORTED[version], texts, tally)
    print(tally, *(each for name in failing for each in tally.failures[name][:3]), sep="\n")
    return len(failing) / len(texts)


@pytest.mark.sampled
@every_python
def test_small_programs_are_recorded_as_they_ran(version: Version) -> None:
    assert failing_share(version, 20) <= MOST_FAILING


@pytest.mark.full
@oldest_and_newest
def test_many_small_programs_are_recorded_as_they_ran(version: Version) -> None:
    assert failing_share(version, 100) <= MOST_FAILING / 3
