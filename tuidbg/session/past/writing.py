"""Writes what was recorded to a file: when somebody asks for it, and at the end of each run.

What has the name of a secret is left out. Where a file can't be written at the end, another place
is found, so that no recording is lost with its session.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path, PurePath
from typing import Protocol

from tuidbg.config.launch import LaunchPlan, Plan
from tuidbg.recording.file import Program, write_recording
from tuidbg.recording.leaving.secret_names import secrecy, without_secrets
from tuidbg.recording.timeline import Timeline
from tuidbg.session.errors import DebuggerError

ENDING = ".tuidbg"
"""Of the names of files that are offered."""

WRITE_EVERY = 1.0
"""Seconds after which the program writes what it has recorded, where that is to be kept: so much is
lost at most when it is killed."""


class NotWritten(DebuggerError):
    """The file can't be written; the text says why."""


class _Session(Protocol):
    @property
    def plan(self) -> Plan:
        """What is debugged."""


def cannot_write(folder: Path, reason: str) -> str:
    """Why a recording has stopped, and the remedy."""
    way = "; free some space or set TMPDIR to another disk" if "space" in reason else ""
    return f"recording stopped: can't write to {folder}: {reason}{way}"


def offered_name(plan: Plan) -> str:
    """The name of a file that a recording may be written to."""
    target = PurePath(plan.target).stem if isinstance(plan, LaunchPlan) else ""
    return f"{target or 'program'}-{datetime.now():%Y%m%d-%H%M%S}{ENDING}"


async def write_timeline(
    timeline: Timeline, path: Path, session: _Session, ended: str = "the program ran on"
) -> None:
    """Write what is known by now, beside the loop. Raises NotWritten."""
    still, program = timeline.copy(), _describe(session, ended)
    try:
        await asyncio.to_thread(write_recording, still, path, program, secrecy)
    except OSError as error:
        raise NotWritten(f"{path} can't be written: {error.strerror or error}") from None


async def save(timeline: Timeline, path: Path, session: _Session) -> str:
    """Write it at the end of a run, elsewhere if it must be; says where it is."""
    if not timeline.now:
        why = f": {timeline.problem}" if timeline.problem else ""
        return f"Nothing was recorded, so {path} was not written{why}."
    ended = timeline.problem or "the run has ended"
    part = f"; it is incomplete: {timeline.problem}" if timeline.problem else ""
    try:
        await write_timeline(timeline, path, session, ended)
        return f"The recording is in {path}{part}."
    except NotWritten as error:
        problem = str(error)
    try:
        handle, name = tempfile.mkstemp(prefix=f"{path.stem}-", suffix=ENDING)
    except OSError as error:
        return f"The recording is lost: {problem}; {error}."
    os.close(handle)
    try:
        await write_timeline(timeline, Path(name), session, ended)
    except NotWritten as error:
        Path(name).unlink(missing_ok=True)
        return f"The recording is lost: {problem}; {error}."
    return f"{problem}; the recording is in {name}{part}."


def _describe(session: _Session, ended: str) -> Program:
    plan = session.plan
    command: list[str] = [plan.title]
    if isinstance(plan, LaunchPlan):
        module = ["-m"] if not PurePath(plan.target).is_absolute() else []
        command = [plan.python, *plan.python_args, *module, plan.target, *plan.args]
    return Program(
        command=list(without_secrets(command)),
        python=_version_of(plan),
        at=time.time(),
        ended=ended,
    )


def _version_of(plan: Plan) -> str:
    """Known of the Python that runs tuidbg itself; of others their path says it."""
    is_ours = isinstance(plan, LaunchPlan) and plan.python == sys.executable
    return sys.version.split()[0] if is_ours else ""
