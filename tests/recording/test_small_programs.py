"""A recording is what a tracer sees that copies everything, of small programs of all shapes.

Many more, and the smallest program of each kind of failure: ``python -m tests.recording.truth
--count 20000 --python PATH``.
"""

from __future__ import annotations

import pytest

from tests.recording.test_oracle import every_python, oldest_and_newest
from tests.recording.truth.comparison import Tally
from tests.recording.truth.programs import made, run
from tests.support.interpreters import SUPPORTED, Version

pytestmark = pytest.mark.real

MOST_UNKNOWN = 0.005
"""The share of values that are not known where they are shown."""


def check(version: Version, count: int) -> None:
    """Prints the shares of what is not known, and the first differences of each program."""
    tally = Tally()
    failing = run(SUPPORTED[version], made(count, 0), tally)
    print(tally, *(each for name in failing for each in tally.failures[name][:3]), sep="\n")
    assert not failing
    assert tally.unknown <= MOST_UNKNOWN * tally.values


@pytest.mark.sampled
@every_python
def test_small_programs_are_recorded_as_they_ran(version: Version) -> None:
    check(version, 20)


@pytest.mark.full
@oldest_and_newest
def test_many_small_programs_are_recorded_as_they_ran(version: Version) -> None:
    check(version, 100)
