"""Merges the adapter's answer about a line into the breakpoint that was asked for there.

A breakpoint is never moved: where the adapter answers with another line, that breakpoint is taken
back and shown as refused, with the line where it could go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.config.files import file_stamp
from tuidbg.dap.types import Breakpoint as AdapterBreakpoint
from tuidbg.session.breakpoints.binding.loading import FileLoading
from tuidbg.session.breakpoints.binding.templates import waits_for_rendering
from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.needs import BreakpointsSession
from tuidbg.session.breakpoints.outcomes import (
    NEWER,
    NO_ANSWER,
    NOT_IMPORTED,
    NOT_RENDERED,
    NOT_SET,
    no_code,
    pending,
    refused,
)
from tuidbg.session.breakpoints.predicates import nearest_line
from tuidbg.session.state import Breakpoint, BreakpointKind, Place

if TYPE_CHECKING:
    from tuidbg.adapters.native.questions import NativeQuestions


class Answers:
    """Merges the answers that one session's adapter gives to the list of a file."""

    def __init__(
        self,
        session: BreakpointsSession,
        known: KnownBreakpoints,
        loading: FileLoading,
        numbers: dict[int, tuple[int, ...]],
    ) -> None:
        self._session = session
        self._known = known
        self._loading = loading
        self._numbers = numbers

    async def merge(
        self, asked: Breakpoint, path: str, line: int, reported: AdapterBreakpoint | None
    ) -> bool:
        """Merge one answer; True if the adapter set it where nobody asked for it."""
        answered = reported.line if reported is not None and reported.verified else None
        moved = answered is not None and answered != line
        current = self._known.registry.look_up(asked.number)
        if current is None:
            return moved  # deleted meanwhile, and that deletion waits for its turn
        if reported is not None and reported.id is not None:
            known = self._numbers.get(reported.id, ())
            self._numbers[reported.id] = tuple(dict.fromkeys((*known, asked.number)))
        if _as_asked(current) != _as_asked(asked):
            return moved  # changed meanwhile, and that change waits for its turn
        if reported is None:
            changed = refused(current, NO_ANSWER)
        elif moved:
            lines = (await self._session.facts.of(path)).code_lines
            suggested = (nearest_line(lines, line) if lines else answered) or None
            changed = refused(current, no_code(line), suggested)
        elif reported.verified and self._is_excluded(path):
            # debugpy calls what a rule hides verified all the same.
            changed = refused(current, self._session.sources.why_hidden(path))
        elif reported.verified:
            changed = self._verified(current, path, line, reported)
        elif waiting := describe_waiting(self._session.profile, reported.message):
            changed = pending(current, waiting)
        elif (native := self._session.profile.native) is not None:
            changed = await self._explained(native, current, path, line)
        else:
            hidden = self._session.sources.why_hidden(path)
            why = self._session.profile.breakpoints.explain_refusal(reported.message or "")
            changed = refused(current, hidden or why or NOT_SET)
        now = self._known.registry.look_up(asked.number)
        if changed != current and now is not None and _as_asked(now) == _as_asked(asked):
            self._known.publish(changed, origin="adapter")
        return moved

    async def _explained(
        self, native: NativeQuestions, found: Breakpoint, path: str, line: int
    ) -> Breakpoint:
        """With the reason for which it is not set, and where it could be."""
        try:
            ask = self._session.adapter.request
            message, suggested = await native.explain_line(ask, path, line)
        except AdapterError:
            message, suggested = "the program has no code there", None
        if suggested is None:  # a library that is loaded later may bring the file
            return pending(found, message)
        return refused(found, message, suggested)

    def _verified(
        self, found: Breakpoint, path: str, line: int, reported: AdapterBreakpoint
    ) -> Breakpoint:
        if found.kind is BreakpointKind.LINE:
            place = Place(path=path, line=line, column=reported.column or 1)
            found = msgspec.structs.replace(found, places=(place,))
        return self._loading.verified(found, path, self._remark(found, reported))

    def _is_excluded(self, path: str) -> bool:
        rule = self._session.sources.rule_for(path)
        return rule is not None and not rule.include

    def _remark(self, found: Breakpoint, reported: AdapterBreakpoint) -> str:
        if found.column is not None and reported.column != found.column:
            return f"this debug adapter stops at the line, not at column {found.column}"
        return self._staleness(found.path)

    def _staleness(self, path: str) -> str:
        """That a source has been edited since the program was built of it."""
        plan = self._session.plan
        if not self._session.profile.sources.are_compiled or not plan.target:
            return ""
        source, built = file_stamp(path), file_stamp(plan.target)
        return NEWER if source and built and source[0] > built[0] else ""


def describe_waiting(profile: AdapterProfile, message: str | None) -> str:
    """The event that a breakpoint waits for, by the adapter's words; nothing where it is none."""
    if waits_for_rendering(profile, message):
        return NOT_RENDERED
    return NOT_IMPORTED if is_late(profile, message) else ""


def is_late(profile: AdapterProfile, message: str | None) -> bool:
    """True if the adapter says that it sets it when the program has loaded the file."""
    return bool(profile.breakpoints.late_answer) and message == profile.breakpoints.late_answer


def _as_asked(breakpoint: Breakpoint) -> tuple[Any, ...]:
    b = breakpoint
    return b.line, b.column, b.condition, b.enabled, b.function
