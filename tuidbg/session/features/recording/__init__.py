"""The recording of a program's run, and the way back in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.config.launch import LaunchPlan
from tuidbg.session.features.recording.reverse_execution import past_of

if TYPE_CHECKING:
    from tuidbg.session.core.feature import Hooks
    from tuidbg.session.core.session import Session
    from tuidbg.session.features.recording.calls.recorder import CallRecordings
    from tuidbg.session.features.recording.recorded_run import RecordedRun


def register(hooks: Hooks) -> None:
    hooks.before_run.append(begin)
    hooks.before_close.append(take_last)
    hooks.after_close.append(finish)
    hooks.open_recording = open_file
    hooks.recorder_report = take_report


def run_of(session: Session) -> RecordedRun:
    """Return the session's recorded run; its modules are not needed at startup."""
    from tuidbg.session.features.recording.recorded_run import RecordedRun

    return RecordedRun.of(session)


def calls_of(session: Session) -> CallRecordings:
    """Return the session's recordings of calls; their modules are not needed at startup."""
    from tuidbg.session.features.recording.calls.recorder import CallRecordings

    return CallRecordings.of(session)


async def begin(session: Session) -> None:
    """Record a program that is about to run, where that was asked for."""
    past, plan = past_of(session), session.plan
    if (past is not None and past.is_wanted) or (isinstance(plan, LaunchPlan) and plan.record):
        await run_of(session).begin_with_program()


async def open_file(session: Session, path: Path) -> None:
    await run_of(session).open(path)


def take_report(session: Session, report: Mapping[str, str]) -> None:
    run_of(session).take_report(report)


async def take_last(session: Session) -> None:
    """Read what the program has recorded, before it is ended."""
    if (past := past_of(session)) is not None:
        await past.take_last()


async def finish(session: Session) -> None:
    if (past := past_of(session)) is not None:
        await past.finish()
