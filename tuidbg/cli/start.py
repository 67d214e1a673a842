"""Shared parts of all ways to start a session, and the ways without a screen: lines, and a demo."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tuidbg.adapters.client import DapLog
from tuidbg.adapters.process import Guard
from tuidbg.adapters.table import profile_for
from tuidbg.adapters.traits import SourceProblem
from tuidbg.cli.arguments import complain
from tuidbg.config.launch import LaunchPlan
from tuidbg.config.project import project_of
from tuidbg.config.request import StartupRequest
from tuidbg.config.user_config import config_folder, load_user_config
from tuidbg.process.guardian import Guardian
from tuidbg.session.core.session import Session
from tuidbg.session.features.recording.reverse_execution import past_of
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import BreakpointStatus

if TYPE_CHECKING:
    from tuidbg.cli.launcher import Keeping


def open_log(asked: StartupRequest) -> DapLog | None:
    """Open the log of DAP messages, if requested. Raises LogNotOpened."""
    try:
        return DapLog(Path(asked.dap_log)) if asked.dap_log else None
    except OSError as error:
        raise LogNotOpened(f"--dap-log: {error.strerror}: {asked.dap_log}") from None


class LogNotOpened(Exception):
    """A DAP log that can't be written; ``str()`` is a sentence."""


_CLOSING_LIMIT, _WRITING_LIMIT = 5.0, 120.0


def closing_limit(session: Session | None) -> float:
    """Return the limit for closing, far more than it takes; longer if it saves a recording."""
    is_writing = session is not None and _is_unsaved(session)
    return _WRITING_LIMIT if is_writing else _CLOSING_LIMIT


def _is_unsaved(session: Session) -> bool:
    past = past_of(session)
    return past is not None and bool(past.has_to_save)


async def close(session: Session, *, is_shown: bool = False) -> None:
    """Close a session, and report its recording's path on stderr, unless ``is_shown``."""
    is_new = _is_unsaved(session)
    await session.close()
    past = past_of(session)
    if past is not None and past.told and (is_new or not is_shown):
        complain(past.told)


def collect_garbage() -> None:
    """Enable garbage collection, without the objects made so far."""
    gc.freeze()
    gc.enable()


def describe_problem(problem: SourceProblem) -> str:
    """Describe why the program can't be run; a syntax error with file, line, text and caret."""
    from unicodedata import east_asian_width

    if not problem.line:
        place = f"{problem.path}: " if problem.path else ""
        return _without_controls(f"tuidbg: {place}{problem.message}")
    text = problem.text.rstrip()
    indent = len(text) - len(text.lstrip())
    lines = [f"tuidbg: {problem.path}:{problem.line}: {problem.message}"]
    if text:
        before = text[indent : max(indent, problem.column - 1)]
        blank = "".join("\u3000" if east_asian_width(c) in "WF" else " " for c in before)
        lines += [f"    {text[indent:]}", f"    {blank}^"]
    return "\n".join(map(_without_controls, lines))


def _without_controls(line: str) -> str:
    """Replace control characters: a file may contain any."""
    return "".join(c if c.isprintable() or c == "\u3000" else " " for c in line)


def play_demo(asked: StartupRequest, guardian: Guardian) -> int:
    """Play the demo as plain text; return the exit status. Raises LogNotOpened, BrokenPipeError."""
    from tuidbg.plain.demo import play

    assert asked.plan is not None
    collect_garbage()
    session = Session(asked.plan, profile_for(asked.plan), guardian, dap_log=open_log(asked))

    async def whole() -> int:
        try:
            facts = await session.facts.of_target()
            if facts.problem is not None:
                print(describe_problem(facts.problem), file=sys.stderr)
                return 2
            return await play(session, asked.breakpoints)
        except DebuggerError as error:
            complain(str(error))
            return 1
        finally:
            await session.close()

    return asyncio.run(whole(), debug=False)


def debug_by_lines(asked: StartupRequest, guardian: Guardian) -> int:
    """Debug in line mode; return the exit status. Raises LogNotOpened."""
    from tuidbg.plain.front import run

    collect_garbage()
    for problem in (*load_user_config(config_folder()).problems, *asked.problems):
        complain(problem)
    opening = LineModeStart(_for_lines(asked), guardian, open_log(asked))
    status = run(opening)
    if opening.problem is not None:
        print(describe_problem(opening.problem), file=sys.stderr)
        return 2
    return status


def _for_lines(asked: StartupRequest) -> StartupRequest:
    """Adapt a request: children run undebugged, and the program's terminal is like ours."""
    plan = asked.plan
    if isinstance(plan, LaunchPlan):
        env = {"TERM": os.environ.get("TERM", "dumb"), **plan.env}
        return replace(asked, plan=replace(plan, sub_process=False, env=env))
    if plan is None:
        return asked
    return replace(asked, plan=replace(plan, sub_process=False, reconnect=False))


class LineModeStart:
    """A session in line mode, with its stored state."""

    def __init__(self, asked: StartupRequest, guard: Guard, log: DapLog | None = None) -> None:
        self._asked = asked
        self._guard = guard
        self._log = log
        self._session: Session | None = None
        self._keeping: Keeping | None = None
        self.problem: SourceProblem | None = None
        """Why the source can't be run, known after an attempt to start."""

    def make(self) -> Session:
        """Make the session on its future loop, not started yet."""
        assert self._asked.plan is not None
        profile = profile_for(self._asked.plan)
        self._session = Session(self._asked.plan, profile, self._guard, dap_log=self._log)
        return self._session

    async def start(self) -> None:
        """Start the program; after a failure the session is ``failed`` and has the reason."""
        session = self._session
        assert session is not None
        self.problem = (await session.facts.of_target()).problem
        if self.problem is not None:
            return
        if self._asked.is_kept:
            from tuidbg.cli.launcher import Keeping

            self._keeping = Keeping(session, project_of(session.plan))
            await self._keeping.restore()
        for wanted in self._asked.breakpoints:
            found = session.breakpoints.registry.find(wanted.path, wanted.line)
            if found is not None and found.enabled and not wanted.condition:
                continue  # an earlier run's breakpoint there keeps its settings
            made = await session.breakpoints.set(
                wanted.path, wanted.line, condition=wanted.condition, origin="cli"
            )
            if made.status is BreakpointStatus.REFUSED and isinstance(session.plan, LaunchPlan):
                # Without the requested breakpoint it would run to its end.
                session.plan = msgspec.structs.replace(session.plan, stop_on_entry=True)
        if self._asked.watch:
            from tuidbg.session.features.autorestart import AutoRestart

            AutoRestart.of(session).switch(True)
        try:
            await session.lifecycle.start()
        except DebuggerError:
            pass  # the session is `failed` and has the reason

    async def close(self) -> None:
        """Save unsaved state and close the session."""
        for problem in await self._keeping.close() if self._keeping is not None else ():
            complain(problem)
        if self._session is not None:
            await close(self._session, is_shown=True)
