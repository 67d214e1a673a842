"""A value that took the address of one that was gone has a history of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recording.compared import lines_of, read_spool
from tests.recording.test_harmless import record
from tests.recording.test_oracle import oldest_and_newest
from tests.support.interpreters import Version
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.queries.changes import last_change_of

pytestmark = pytest.mark.real

PROGRAM = """\
def pair():
    return [0, 0]

old = pair()
old[0] = 5
old[0] = 0
old = None
new = pair()

table = {"k": 1}
table["k"] = 2
table = None
other = {"k": 2}

copied = list((1, 2, 3))
copied[0] = 9
del copied
second = list((4, 5))

class Slots:
    __slots__ = ("size",)

    def __init__(self):
        self.size = 1

slot = Slots()
slot.size = 1
slot.size = 2
slot = None
fresh = Slots()

rows = [[1, 2], [3]]
row = rows[0]
row.append(7)
both = [rows[0], 1]
taken = rows.pop()
taken.append(4)
kept = [taken, 1]

def outer():
    cells = [1]
    def inner(value):
        cells.append(value)
        return [cells, 0]
    return inner

inner = outer()
inner(2)
last = inner(3)[0]

def fill(xs):
    xs.append(5)
    return xs

filled = fill([1])
again = [fill(filled), 2]
try:
    raise ValueError(1)
except ValueError as error:
    error.note = 1
try:
    raise ValueError(1)
except ValueError as error:
    note = [error.args, 1]
done = 1
"""

LINES = {
    "new[0]": 2,
    "other['k']": 13,
    "second[0]": 18,
    "fresh.size": 24,
    "row[2]": 34,
    "both[0][2]": 34,
    "kept[0][1]": 37,
    "last[1]": 43,
    "last[2]": 43,
    "filled[1]": 52,
    "again[0][1]": 52,
}
"""Behind which lines the parts became what they are at the end."""


@oldest_and_newest
def test_a_value_at_the_address_of_another_has_its_own_history(
    version: Version, tmp_path: Path
) -> None:
    timeline = read_spool(record(version, PROGRAM, tmp_path).parent / "spool")
    end = lines_of(timeline)[-1]
    (frame,) = timeline.stack(end)
    found = {}
    for text in LINES:
        change = last_change_of(timeline, Expression(text), frame, timeline.now)
        found[text] = change.place.line if change is not None and change.place else None
    assert found == LINES
