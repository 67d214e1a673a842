"""From a symptom to the guilty line and the wrong value: the flows of the planted bugs."""

from __future__ import annotations

import json
import re
import statistics

import pytest

from tests.benchmarks.flows.bugs import BUGS, Bug, Json
from tests.benchmarks.flows.running import run_flow
from tests.support.interpreters import SUPPORTED
from tuidbg.api.mcp.tool_sets import TOOL_SETS

NEWEST = max(SUPPORTED)

MOST_CALLS, MOST_BYTES = 3, 4_500
"""Of one flow."""

GENERAL = {"environ", "get", "CancelledError", "Exception"}
"""What somebody knows who knows Python."""

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(NEWEST < (3, 12), reason="only Python 3.12 and newer is recorded"),
]


@pytest.mark.full
@pytest.mark.parametrize("bug", BUGS, ids=[bug.kind.replace(" ", "-") for bug in BUGS])
async def test_from_the_symptom_to_the_line(bug: Bug) -> None:
    text = bug.path.read_text()
    assert text.count(bug.guilty) == 1, "the table names one line"
    assert 70 <= len(text.splitlines()) <= 300
    outcome = await run_flow(bug, SUPPORTED[NEWEST])
    assert outcome.is_found, outcome.answers[-1]
    assert outcome.calls <= MOST_CALLS and outcome.characters <= MOST_BYTES
    _check_that_all_was_told(bug, outcome.answers)


def _check_that_all_was_told(bug: Bug, answers: list[Json]) -> None:
    """The words of each call stand in the symptom, in what the tools take, or in an answer."""
    known = GENERAL | _words(bug.symptom, bug.program)
    for tool in TOOL_SETS["agent"]:
        known |= _words(tool.schema, tool.description)
    for number, call in enumerate(bug.flow):
        assert _words(call.fill(answers[:number])) <= known, call
        known |= _words(answers[number])


def test_few_calls_in_the_mean() -> None:
    assert len(BUGS) == 10 and len({bug.program for bug in BUGS}) == 10
    assert statistics.mean(len(bug.flow) for bug in BUGS) <= 2


def _words(*texts: object) -> set[str]:
    return set(re.findall(r"[^\W\d_]{3,}", json.dumps(texts)))
