"""A recording is what a tracer sees that copies everything, of small programs of all shapes.

20,000 programs by hand: ``python -m tests.recording.truth --count 20000 --python PATH``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from tests.recording.test_oracle import every_python, oldest_and_newest
from tests.recording.truth.comparison import Tally
from tests.recording.truth.programs import PRELUDE, made, run
from tests.support.interpreters import SUPPORTED, Version

pytestmark = pytest.mark.real

ALIAS = re.compile(r"vars\(o\)|__dict__")
"""An object's attributes under another name: who changes them there changes no object that is seen."""

CHANGED_BY_ALIAS = (
    PRELUDE
    + """
o = Plain(1)
d = vars(o)
d |= {1: 'text'}
v = 1
"""
)


def differing(version: Version, texts: Sequence[str]) -> list[str]:
    """What differs, of some programs, with the text of the first of them."""
    tally = Tally()
    failing = run(SUPPORTED[version], texts, tally)
    print(tally)
    found = [each for name in failing for each in tally.failures[name][:3]]
    return [*found[:12], next(iter(failing.values()))] if failing else []


def made_plain(count: int) -> list[str]:
    """Programs that change no attributes by ``|=`` on another name for their dict."""
    return [text for text in made(count, 0) if not ("|=" in text and ALIAS.search(text))]


@pytest.mark.sampled
@every_python
def test_small_programs_are_recorded_as_they_ran(version: Version) -> None:
    assert differing(version, made_plain(20)) == []


@pytest.mark.full
@oldest_and_newest
def test_many_small_programs_are_recorded_as_they_ran(version: Version) -> None:
    assert differing(version, made_plain(100)) == []


@pytest.mark.full
@pytest.mark.xfail(reason="an object is not known by the dict of its attributes", strict=True)
def test_attributes_that_are_changed_by_an_alias() -> None:
    assert differing(max(SUPPORTED), [CHANGED_BY_ALIAS]) == []
