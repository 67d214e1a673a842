"""Setting breakpoints on several lines in one request, as API clients do.

If at least one of them can be set, all are kept, each with its result; if none can, none is kept,
and the reason of the first is raised.
"""

from __future__ import annotations

import asyncio
import os.path
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tuidbg.config.launch import is_source
from tuidbg.lines import split_lines
from tuidbg.session.core.breakpoints.binding.files import find_refusal
from tuidbg.session.core.breakpoints.breakpoints import SessionBreakpoints
from tuidbg.session.core.breakpoints.kinds import locations as lines
from tuidbg.session.core.breakpoints.store import BreakpointSettings, check_settings
from tuidbg.session.model.errors import (
    BreakpointFileNotFound,
    DebuggerError,
    InvalidCondition,
    InvalidSessionState,
    InvalidSetting,
    LineCannotBreak,
)
from tuidbg.session.model.state import Breakpoint, BreakpointStatus, StateValue, Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


_WRONG_SETTING = (InvalidCondition, InvalidSetting)


class WantedLine(StateValue, frozen=True):
    """A requested breakpoint line with its settings; ``path`` is absolute."""

    path: str
    line: int
    settings: BreakpointSettings


async def set_lines(
    session: Session, wanted: Sequence[WantedLine], *, origin: str
) -> tuple[Breakpoint, ...]:
    """Set or change breakpoints on these lines; return the results in the same order.

    Raises InvalidSessionState if the program has ended, and if none can be set InvalidCondition,
    InvalidSetting, BreakpointFileNotFound or LineCannotBreak.
    """
    if session.status in (Status.TERMINATED, Status.FAILED):
        raise InvalidSessionState("set breakpoints", session.status)
    places = [(os.path.normpath(each.path), each) for each in wanted]
    await session.facts.learn({path for path, _ in places})
    problems = [await _find_problem(session, path, each) for path, each in places]
    if problems and all(problems):
        raise next(problem for problem in problems if problem is not None)
    before = {b.number for b in session.breakpoints.registry}
    numbers = await _set_all(session, places, problems, origin)
    found = [session.breakpoints.registry.look_up(b.number) or b for b in numbers]
    told = [
        b if isinstance(problem, _WRONG_SETTING) else new
        for b, new, problem in zip(numbers, found, problems, strict=True)
    ]
    if all(b.status is BreakpointStatus.REFUSED for b in told):  # the adapter refused them all
        for each_new in found:
            if each_new.number not in before and session.breakpoints.registry.look_up(
                each_new.number
            ):
                await session.breakpoints.remove(each_new.number, origin=origin)
        raise await _explain(
            session, told[0].path, told[0].line, told[0].message, told[0].suggested_line
        )
    return tuple(told)


async def _set_all(
    session: Session,
    places: Sequence[tuple[str, WantedLine]],
    problems: Sequence[DebuggerError | None],
    origin: str,
) -> list[Breakpoint]:
    """Set all with valid settings in one step: each file is one request to the adapter."""
    breakpoints = session.breakpoints
    wanted: dict[tuple[str, int], tuple[Breakpoint, BreakpointSettings]] = {}
    found: list[Breakpoint] = []
    for (path, each), problem in zip(places, problems, strict=True):
        place = (path, each.line)
        if isinstance(problem, _WRONG_SETTING) and place not in wanted:
            found.append(_keep_refused(breakpoints, path, each, problem, origin))
        elif place in wanted:  # listed twice: the later settings count
            known, settings = wanted[place]
            if not isinstance(problem, _WRONG_SETTING):
                wanted[place] = (known, {**settings, **each.settings})
            found.append(known)
        else:
            known = lines.find_or_make_line(breakpoints.known, path, each.line, origin)
            wanted[place] = (known, each.settings)
            found.append(known)
    await breakpoints.changing.change_all(list(wanted.values()), origin=origin)
    return [
        _keep_refused(breakpoints, path, each, problem, origin)
        if isinstance(problem, _WRONG_SETTING) and (path, each.line) in wanted
        else kept
        for (path, each), problem, kept in zip(places, problems, found, strict=True)
    ]


def _keep_refused(
    breakpoints: SessionBreakpoints,
    path: str,
    wanted: WantedLine,
    problem: DebuggerError,
    origin: str,
) -> Breakpoint:
    """Keep a refused breakpoint; an existing one stays unchanged."""
    return breakpoints.keep_refused(
        path, wanted.line, str(problem), origin=origin, **wanted.settings
    )


async def _find_problem(session: Session, path: str, wanted: WantedLine) -> DebuggerError | None:
    """Return why it can't be set, as far as is known without the adapter."""
    for field, sentence in check_settings(wanted.settings, session.facts.language_of(path)).items():
        if field == "condition":
            return InvalidCondition(sentence)
        return InvalidSetting(field, sentence)
    if session.profile.breakpoints.needs_files and not is_source(path):
        return BreakpointFileNotFound(path)
    message, suggested = await find_refusal(session, path, wanted.line)
    return await _explain(session, path, wanted.line, message, suggested) if message else None


async def _explain(
    session: Session, path: str, line: int, message: str, suggested: int | None
) -> LineCannotBreak:
    text = await asyncio.to_thread(session.running_sources.text, path)
    source = split_lines(text or "")

    def text_of(number: int | None) -> str:
        return source[number - 1] if number is not None and 0 < number <= len(source) else ""

    return LineCannotBreak(path, line, message, text_of(line), suggested, text_of(suggested))
