"""Recorded calls of C and Go functions, on the real lldb-dap and Delve, by nothing but DAP."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.native import (
    PROGRAMS,
    is_older_lldb,
    line_of,
    lldb_session,
    needs_cc,
    needs_delve,
    needs_lldb,
)
from tests.support.sessions import SessionUnderTest
from tuidbg.adapters.table import find_profile
from tuidbg.config.launch import Console, LaunchPlan, TargetKind
from tuidbg.session.features.recording.calls.recorder import CallRecordings
from tuidbg.session.features.recording.calls.types import CallRecording, LineVisit, RecordingEnd

pytestmark = pytest.mark.real


def told(recording: CallRecording, line: int) -> dict[str, tuple[str, str]]:
    """Returns what a line did: kind and last value by name."""
    return {
        change.name: (change.kind, change.last)
        for _, node in recording.course
        if isinstance(node, LineVisit) and node.line == line
        for change in node.changes
    }


def returned(recording: CallRecording) -> str:
    """The value that a call returned, as far as the adapter tells it."""
    return recording.returned.value if recording.returned is not None else ""


@pytest.mark.full
@needs_cc
@needs_lldb
async def test_c(tmp_path: Path) -> None:
    tells = not is_older_lldb()
    async with lldb_session(tmp_path, "passes.c", "5", stop_on_entry=True) as u:
        await u.start()
        lifetimes = CallRecordings.of(u.session)
        first = await lifetimes.record("pass", origin="mcp")
        await u.settled()
        assert (first.ending, first.is_whole) == (RecordingEnd.RETURNED, True)
        assert [(a.name, a.value) for a in first.arguments] == [("i", "0"), ("total", "0")]
        assert first.is_read is False and returned(first) == ("0" if tells else "")
        zero = line_of("passes.c", "int zero")
        assert told(first, zero)["zero"] == ("new", "1")
        second = await lifetimes.record("pass", origin="mcp")
        await u.settled()
        assert [a.value for a in second.arguments] == ["1", "0"]
        assert returned(second) == ("1" if tells else "")
        walk = await lifetimes.record("walk", origin="mcp")
        await u.settled()
        assert walk.ending is RecordingEnd.RETURNED and not walk.is_whole
        body = line_of("passes.c", "total = pass(")
        assert f"({body} → {body - 1}) × 4" in walk.course.describe()
        assert told(walk, body)["total"] == ("changed", "10")
        assert not list(u.session.breakpoints.registry)


@needs_cc
@needs_lldb
async def test_c_with_a_tracepoint_and_a_breakpoint_in_it(tmp_path: Path) -> None:
    async with lldb_session(tmp_path, "passes.c", "5", stop_on_entry=True) as u:
        await u.start()
        session, source = u.session, str(PROGRAMS / "passes.c")
        mark = line_of("passes.c", "/* PASS */")
        await session.breakpoints.set(source, mark, trace=True, log_message="i {i}", origin="tui")
        found = await CallRecordings.of(session).record("walk", origin="mcp")
        await u.settled()
        assert found.ending is RecordingEnd.RETURNED
        assert told(found, line_of("passes.c", "total = pass("))["total"] == ("changed", "10")
        assert [record.text for record in session.trace] == [f"i {n}" for n in range(5)]


@pytest.mark.full
@needs_cc
@needs_lldb
async def test_c_stopped_by_a_breakpoint_below(tmp_path: Path) -> None:
    async with lldb_session(tmp_path, "passes.c", "5", stop_on_entry=True) as u:
        await u.start()
        session, source = u.session, str(PROGRAMS / "passes.c")
        mark = line_of("passes.c", "/* PASS */")
        known = await session.breakpoints.set(source, mark, condition="i == 2", origin="tui")
        found = await CallRecordings.of(session).record("walk", origin="mcp")
        await u.settled()
        assert found.ending is RecordingEnd.STOPPED
        assert f"breakpoint {known.number} stopped the program in pass" in found.sentence
        assert (u.hits, u.line) == ((known.number,), mark)


@needs_delve
async def test_go(tmp_path: Path) -> None:
    plan = LaunchPlan(
        kind=TargetKind.SCRIPT,
        target=str(PROGRAMS / "go" / "passes"),
        args=("5",),
        cwd=str(PROGRAMS / "go" / "passes"),
        python="",
        console=Console.INTERNAL,
        stop_on_entry=True,
        adapter="dlv",
    )
    u = SessionUnderTest(plan, find_profile("dlv"), tmp_path)
    try:
        await u.start()
        found = await CallRecordings.of(u.session).record("main.pass", origin="mcp")
        await u.settled()
        assert (found.ending, found.is_whole) == (RecordingEnd.RETURNED, True)
        assert [(a.name, a.value) for a in found.arguments] == [("i", "0"), ("total", "0")]
        zero = line_of("go/passes/main.go", "zero := 1")
        assert told(found, zero)["zero"] == ("new", "1")
        walk = await CallRecordings.of(u.session).record("main.walk", origin="mcp")
        await u.settled()
        assert walk.ending is RecordingEnd.RETURNED
        assert not list(u.session.breakpoints.registry)
        await u.close()
    finally:
        if u.closed_in is None:
            await u.session.close()
