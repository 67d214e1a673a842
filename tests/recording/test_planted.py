"""From a wrong value to the line that made it so, by what each answer tells to ask next."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.recording.compared import read_spool
from tests.recording.test_harmless import record
from tests.recording.test_oracle import every_python
from tests.support.interpreters import Version
from tuidbg.recording.timeline import Timeline
from tuidbg.recording.values import ValuesAt
from tuidbg.session.features.recording.queries import HasTimeline, RecordingQueries

pytestmark = pytest.mark.real

PLANTED = Path(__file__).parents[1] / "programs" / "planted"
MOST = 5

QUESTIONS = {
    "aliasing": ["north", "table.rows['north']['q1']", "row", "self.rows[sale.region]"],
    "loop_closure": ["first.tax", "tax()"],
    "off_by_one": ["newest", "averages.found[-1]", "start"],
    "rounding": ["bert.cents", "cents", "other.cents", "cents", "cents"],
    "sort_key": ["winner", "run()", "choose()", "self.winner", "self.players[0]"],
    "stale_cache": ["paper.price", "convert()", "self.cache[amount]"],
    "swallowed": ["lowest.values['roof']", "low", "reading", "sensor.readings[2]", "reading"],
    "used_twice": ["report.mean", "total", "rows", "rows"],
    "wrong_default": ["lamp.cost", "limit", "rates.free_from"],
    "wrong_key": ["counts.totals['Bern']", "key"],
}
"""What a person asks, one after the other: each but the first stands in the answer before it, as a
name that the line read or a part of one, or is an argument of the function that it led to."""


def arguments_of(timeline: Timeline, number: int) -> list[str]:
    record = timeline.frame(number)
    assert record is not None
    return [part.name for part in ValuesAt(timeline, record.begin).variables(record.owner)]


@pytest.mark.sampled(2)
@every_python
@pytest.mark.parametrize("name", sorted(QUESTIONS))
async def test_the_line_that_is_wrong_is_found(version: Version, name: str, tmp_path: Path) -> None:
    source = (PLANTED / f"{name}.py").read_text()
    timeline = read_spool(record(version, source, tmp_path).parent / "spool")
    tables = RecordingQueries(cast(HasTimeline, SimpleNamespace(timeline=timeline)))
    moment = timeline.last(0)
    assert moment is not None
    told = [*QUESTIONS[name][:1]]
    assert len(QUESTIONS[name]) <= MOST
    for question in QUESTIONS[name]:
        assert any(each.startswith(question) for each in told), (question, told)
        frame = timeline.stack(moment)[0]
        found = await tables.last_change(question, frame, moment.when)
        assert found is not None and found.place is not None, question
        moment = found.place.moment
        told = [name for name, _ in await tables.read_by(moment, source)]
        told += arguments_of(timeline, moment.frame)
    assert "# planted" in source.splitlines()[moment.line - 1]


def test_there_is_a_program_for_each() -> None:
    assert sorted(path.stem for path in PLANTED.glob("*.py")) == sorted(QUESTIONS)
