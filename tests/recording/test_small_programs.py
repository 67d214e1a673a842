"""A recording is what a tracer sees that copies everything, of small programs of all shapes.

20,000 programs by hand: ``python -m tests.recording.truth --count 20000 --python PATH``.
"""

from __future__ import annotations

import pytest

from tests.recording.test_oracle import every_python, oldest_and_newest
from tests.recording.truth.comparison import Tally
from tests.recording.truth.programs import made, run
from tests.support.interpreters import SUPPORTED, Version

pytestmark = [
    pytest.mark.real,
    pytest.mark.xfail(reason="changes behind what a call returns are not seen", strict=False),
]


def differing(version: Version, count: int) -> list[str]:
    """What differs, of so many programs, with the text of the first of them."""
    tally = Tally()
    failing = run(SUPPORTED[version], made(count, 0), tally)
    print(tally)
    found = [each for name in failing for each in tally.failures[name][:3]]
    return [*found[:12], next(iter(failing.values()))] if failing else []


@pytest.mark.sampled
@every_python
def test_small_programs_are_recorded_as_they_ran(version: Version) -> None:
    assert differing(version, 20) == []


@pytest.mark.full
@oldest_and_newest
def test_many_small_programs_are_recorded_as_they_ran(version: Version) -> None:
    assert differing(version, 100) == []
