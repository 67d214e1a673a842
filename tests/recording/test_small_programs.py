"""A recording is what a tracer sees that copies everything, of small programs of all shapes.

Many more, and the smallest program of each kind of failure: ``python -m tests.recording.truth
--count 20000 --python PATH``.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.recording.compared import environment
from tests.recording.test_oracle import every_python, oldest_and_newest
from tests.recording.truth.comparison import Tally
from tests.recording.truth.kept import KEPT
from tests.recording.truth.programs import PRELUDE, made, run
from tests.support.interpreters import SUPPORTED, Version
from tuidbg.recording.texts import RECORDER

pytestmark = pytest.mark.real

MOST_UNKNOWN = 0.005
"""The share of values that are not known where they are shown."""


def check(version: Version, texts: Sequence[str]) -> None:
    """Prints the shares of what is not known, and the first differences of each program."""
    tally = Tally()
    failing = run(SUPPORTED[version], texts, tally)
    print(tally, *(each for name in failing for each in tally.failures[name][:3]), sep="\n")
    assert not failing
    assert tally.unknown <= MOST_UNKNOWN * tally.values


@pytest.mark.sampled
@every_python
def test_small_programs_are_recorded_as_they_ran(version: Version) -> None:
    check(version, made(20, 0))


@pytest.mark.full
@oldest_and_newest
def test_many_small_programs_are_recorded_as_they_ran(version: Version) -> None:
    check(version, made(100, 0))


@every_python
@pytest.mark.parametrize("recorder", ["compiled", "python"])
def test_what_was_missed_once_is_recorded(
    version: Version, recorder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RECORDER, recorder)
    if recorder == "compiled" and (version < (3, 14) or not environment()["COMPILED"]):
        pytest.skip("the compiled recorder is not used here")
    check(version, [f"{PRELUDE}{text}v = 1\nv = 2\n" for text in KEPT.values()])
