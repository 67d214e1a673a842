"""Holds what all ways to start a session share, and those without a screen: lines, and a demo."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from pathlib import Path

from msgspec.structs import replace

from tuidbg.adapters.dap_log import DapLog
from tuidbg.adapters.table import profile_for
from tuidbg.adapters.traits.sources import SourceProblem
from tuidbg.cli.usage import complain
from tuidbg.config.launch import LaunchPlan
from tuidbg.config.request import LaunchRequest
from tuidbg.config.user_config import config_folder, load_user_config
from tuidbg.process.guardian import Guardian
from tuidbg.session.errors import DebuggerError
from tuidbg.session.past.ways_back import past_of
from tuidbg.session.session import Session


def open_log(asked: LaunchRequest) -> DapLog | None:
    """The log of DAP messages, where one is wanted. Raises LogNotOpened."""
    try:
        return DapLog(Path(asked.dap_log)) if asked.dap_log else None
    except OSError as error:
        raise LogNotOpened(f"--dap-log: {error.strerror}: {asked.dap_log}") from None


class LogNotOpened(Exception):
    """The DAP log can't be written; ``str()`` is a sentence."""


_CLOSING_LIMIT, _WRITING_LIMIT = 5.0, 120.0


def closing_limit(session: Session | None) -> float:
    """Seconds in which a session ends: far more than it takes, also where it writes a recording."""
    is_writing = session is not None and _is_unsaved(session)
    return _WRITING_LIMIT if is_writing else _CLOSING_LIMIT


def _is_unsaved(session: Session) -> bool:
    past = past_of(session)
    return past is not None and bool(past.has_to_save)


async def close(session: Session, *, is_shown: bool = False) -> None:
    """End it, and say on stderr where its recording is; not once more where that ``is_shown``."""
    is_new = _is_unsaved(session)
    await session.close()
    past = past_of(session)
    if past is not None and past.told and (is_new or not is_shown):
        complain(past.told)


def collect_garbage() -> None:
    """Collect garbage from now on, but none of what is there already."""
    gc.freeze()
    gc.enable()


def describe_problem(problem: SourceProblem) -> str:
    """Says on stderr why the program can't be run: for syntax with file, line, text and caret."""
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
    """A file may hold anything; its control characters are not for the terminal."""
    return "".join(c if c.isprintable() or c == "\u3000" else " " for c in line)


def play_demo(asked: LaunchRequest, guardian: Guardian) -> int:
    """Play the demo as plain text; the exit status.

    Raises LogNotOpened, BrokenPipeError.
    """
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


def debug_by_lines(asked: LaunchRequest, guardian: Guardian) -> int:
    """Debug with the commands of pdb, without a screen; the exit status. Raises LogNotOpened."""
    from tuidbg.cli.opening import Opening
    from tuidbg.plain.front import run

    collect_garbage()
    for problem in (*load_user_config(config_folder()).problems, *asked.problems):
        complain(problem)
    opening = Opening(_for_lines(asked), guardian, open_log(asked))
    status = run(opening)
    if opening.problem is not None:
        print(describe_problem(opening.problem), file=sys.stderr)
        return 2
    return status


def _for_lines(asked: LaunchRequest) -> LaunchRequest:
    """Children run undebugged there, and the program's terminal can what ours can."""
    plan = asked.plan
    if isinstance(plan, LaunchPlan):
        env = {"TERM": os.environ.get("TERM", "dumb"), **plan.env}
        return replace(asked, plan=replace(plan, sub_process=False, env=env))
    if plan is None:
        return asked
    return replace(asked, plan=replace(plan, sub_process=False, reconnect=False))
