"""Any small program under any breakpoints stops as a tracer that looks at every line says.

``TUIDBG_EXAMPLES=5000`` in the environment tries that many new programs on each Python.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.session.breakpoints.equivalence.hosts import (
    DebuggedHost,
    Found,
    ReferenceHost,
    Wanted,
    debugged_host,
    reference_host,
)
from tests.session.breakpoints.equivalence.programs import CONDITIONS, programs
from tests.support.interpreters import SUPPORTED, Version, name_of

pytestmark = [pytest.mark.real, pytest.mark.full]

EXAMPLES = int(os.environ.get("TUIDBG_EXAMPLES", "0"))

PYTHONS = [
    pytest.param(version, id=name_of(version))
    for version in sorted({(3, 11), (3, 12), max(SUPPORTED)} & SUPPORTED.keys())
]
"""The last that pydevd traces, the first that it monitors, the newest."""


def breakpoints_at(lines: Sequence[int]) -> st.SearchStrategy[list[Wanted]]:
    """Some of these lines with breakpoints of any kind, or all of them with plain ones."""
    one = st.builds(
        Wanted,
        line=st.sampled_from(lines),
        condition=st.sampled_from(CONDITIONS),
        operator=st.sampled_from(("", "", "", "==", ">", "<=", "%")),
        value=st.integers(1, 4),
    )
    stopping = st.builds(
        Wanted,
        line=st.sampled_from(lines),
        condition=st.sampled_from(CONDITIONS),
        operator=st.just("=="),
        value=st.integers(1, 4),
        stops=st.just(True),
    )
    some = st.lists(one | one | one | stopping, max_size=5, unique_by=lambda each: each.line)
    return some | st.just([Wanted(line) for line in lines])


def describe(text: str, phases: list[list[Wanted]], expected: Found, found: Found) -> str:
    """The program with its lines, and what is different."""
    lines = [f"{number:4} {line}" for number, line in enumerate(text.splitlines(), 1)]
    return "\n".join(
        [*lines, *map(str, phases), f"expected {expected.records}", f"found    {found.records}"]
    )


@pytest.mark.parametrize("version", PYTHONS)
def test_stops_are_those_of_a_slow_reference(version: Version, tmp_path: Path) -> None:
    with asyncio.Runner() as runner, contextlib.ExitStack() as stack:
        reference = stack.enter_context(reference_host(SUPPORTED[version]))
        context = debugged_host(tmp_path, SUPPORTED[version])
        debugged = runner.run(context.__aenter__())
        try:
            compare(version, tmp_path, runner, reference, debugged)
        finally:
            runner.run(context.__aexit__(None, None, None))


def compare(
    version: Version,
    folder: Path,
    runner: asyncio.Runner,
    reference: ReferenceHost,
    debugged: DebuggedHost,
) -> None:
    """Make programs and breakpoints; run each on both sides, some of them twice."""
    count = 0

    @settings(
        max_examples=EXAMPLES or 24,
        derandomize=not EXAMPLES,
        database=None,
        suppress_health_check=[*HealthCheck],
    )
    @given(text=programs(version), data=st.data())
    def same(text: str, data: st.DataObject) -> None:
        nonlocal count
        count += 1
        file = folder / f"program_{count}.py"
        file.write_text(text)
        path = str(file)
        lines = sorted(set(reference.run(path, []).lines))
        phases = data.draw(st.lists(breakpoints_at(lines), min_size=1, max_size=2))
        for number, wanted in enumerate(phases):
            expected = reference.run("" if number else path, wanted)
            found = runner.run(debugged.run("" if number else path, wanted))
            assert found.error == expected.error, text
            assert found.records == expected.records, describe(text, phases, expected, found)
            assert found.counts == expected.counts, describe(text, phases, expected, found)

    same()
