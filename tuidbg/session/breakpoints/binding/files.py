"""Sends the breakpoints of a file to the adapter: DAP takes the whole list at a time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec

from tuidbg.adapters.client import DEFAULT_TIMEOUT
from tuidbg.adapters.errors import AdapterError, RequestFailed
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.dap.types import Breakpoint as AdapterBreakpoint
from tuidbg.dap.types import BreakpointsBody
from tuidbg.session.breakpoints.binding.answers import Answers, is_late
from tuidbg.session.breakpoints.binding.probing import ProbeBinding
from tuidbg.session.breakpoints.binding.refusals import refuse_conditions, refuse_lines_without_code
from tuidbg.session.breakpoints.binding.resend import Resend, take_back
from tuidbg.session.breakpoints.binding.templates import prepare_template
from tuidbg.session.breakpoints.binding.temporary import TemporaryStops
from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.needs import BreakpointsSession
from tuidbg.session.breakpoints.outcomes import STALE
from tuidbg.session.breakpoints.registry import files_of, lines_of
from tuidbg.session.hits.log_messages import split_log_message
from tuidbg.session.state import Breakpoint, BreakpointKind, BreakpointStatus

FOR_EACH = 0.02
"""Seconds that an adapter gets for each breakpoint of a list, beside those for any answer."""


class FileLists:
    """The lists of one session's files, as its adapter has them."""

    def __init__(
        self,
        session: BreakpointsSession,
        known: KnownBreakpoints,
        *,
        probing: ProbeBinding,
        answers: Answers,
        temporary: TemporaryStops,
        resend: Resend,
    ) -> None:
        self._session = session
        self._known = known
        self._probing = probing
        self._answers = answers
        self._temporary = temporary
        self._resend = resend
        self._locks: dict[str, asyncio.Lock] = {}
        self._told: dict[str, dict[str, Any]] = {}
        """The arguments that the adapter was sent last for each file."""

    def forget(self) -> None:
        """There is no adapter any more."""
        self._told.clear()

    async def synchronise(self, path: str) -> None:
        """Send one file's whole list and merge the answer; one at a time for each file.

        Does nothing without an adapter, and gives up quietly when the adapter dies meanwhile: the
        session tells that, and the intent stays.
        """
        if not self._session.profile.sources.takes(path):
            return  # of another language; it may be for another program
        async with self._locks.setdefault(path, asyncio.Lock()):
            path = await self._find_source(path)
            await refuse_lines_without_code(self._session, self._known, path)
            if not self._session.adapter.is_configurable:
                return
            try:
                await self._probing.put(self._wanted(path))
                refuse_conditions(self._session, self._known, path)
                while await self._send(path):
                    pass
            except AdapterError as error:
                for found in self._known.registry.of_file(path):
                    if found.status is BreakpointStatus.PENDING and self._known.is_wanted(found):
                        told = msgspec.structs.replace(found, message=str(error))
                        self._known.publish(told, origin="adapter")

    def sends_condition(self, found: Breakpoint) -> bool:
        """True if the adapter was asked to evaluate its condition; else the session has to.

        An adapter takes one breakpoint a line: where there are several, it knows none of theirs.
        """
        if found.kind is not BreakpointKind.LINE:
            return True
        of_line = [b for b in self._wanted(found.path) if found.line in lines_of(b, found.path)]
        return len(of_line) <= 1 and self._temporary.lines.get(found.path) != found.line

    async def _find_source(self, path: str) -> str:
        """The program's own path of a file of which only the name was given."""
        native = self._session.profile.native
        if native is None or not self._session.adapter.is_configurable or Path(path).exists():
            return path
        ask = self._session.adapter.request
        try:
            found = await native.find_source(ask, path)
            found = found or await native.find_source(ask, Path(path).name)
        except AdapterError:
            return path
        if len(found) != 1 or found[0] == path:
            return path
        for each in self._known.registry.of_file(path):
            if each.kind is BreakpointKind.LINE:
                moved = msgspec.structs.replace(each, path=found[0])
                self._known.publish(moved, origin="adapter")
        return found[0]

    def _wanted(self, path: str) -> list[Breakpoint]:
        profile = self._session.profile
        of_file = [b for b in self._known.registry.of_file(path) if listed_files_of(b, profile)]
        wanted = [b for b in of_file if self._known.is_wanted(b)]
        return [b for b in wanted if b.status is not BreakpointStatus.REFUSED]

    async def _send(self, path: str) -> bool:
        """Send the list once; True if something was refused and the rest must be sent again."""
        session = self._session
        by_line: dict[int, list[Breakpoint]] = {}
        for found in self._wanted(path):
            for line in lines_of(found, path):
                by_line.setdefault(line, []).append(found)  # an adapter takes one a line
        temporary = self._temporary.lines.get(path)
        wanted = list(by_line.items())
        # Running to the cursor stops there whatever a condition on that line says.
        sent = [self._as_sent(group, line, always=line == temporary) for line, group in wanted]
        if temporary is not None and temporary not in by_line:
            sent.append({"line": temporary})
        await prepare_template(session, path)
        arguments: dict[str, Any] = {"source": {"path": path}, "breakpoints": sent}
        if session.facts.has_changed(path):
            arguments["sourceModified"] = True
        if session.profile.breakpoints.answers_news_only and self._told.get(path) == arguments:
            return False
        self._told[path] = arguments
        try:
            adapter = session.adapter
            await take_back(adapter, self._resend, "setBreakpoints", path, arguments)
            limit = DEFAULT_TIMEOUT + len(sent) * FOR_EACH
            answer = await adapter.request(
                "setBreakpoints", arguments, into=BreakpointsBody, timeout=limit
            )
        except RequestFailed:
            if "sourceModified" not in arguments:
                raise
            self._tell_stale(path)
            return False
        again = False
        for index, (line, group) in enumerate(wanted):
            reported = answer.breakpoints[index] if index < len(answer.breakpoints) else None
            for asked in group:
                again |= await self._answers.merge(asked, path, line, reported)
        if temporary is not None:
            lines = [line for line, _ in wanted]
            again |= self._merge_temporary(path, lines, temporary, answer.breakpoints)
        return again

    def _tell_stale(self, path: str) -> None:
        """The adapter only knows the lines of before; it keeps those that it has."""
        for found in self._wanted(path):
            stale = msgspec.structs.replace(found, message=STALE)
            if stale != found:
                self._known.publish(stale, origin="adapter")

    def _as_sent(self, group: list[Breakpoint], line: int, *, always: bool) -> dict[str, Any]:
        sent: dict[str, Any] = {"line": line}
        first = group[0]
        column = next((b.column for b in group if b.column is not None), None)
        if column is not None:
            sent["column"] = column
        probe = self._session.profile.probe
        if self._session.probe.is_there and probe is not None:
            conditions = {b.number: b.condition for b in group}
            sent["condition"] = probe.mark_condition(conditions, always=always)
        elif len(group) == 1 and not always:
            if first.condition:
                sent["condition"] = first.condition
            if message := self._log_message(first):
                sent["logMessage"] = message
        return sent

    def _log_message(self, found: Breakpoint) -> str:
        """The message that the adapter itself shall write, where that is the better way."""
        session = self._session
        log_points = session.profile.breakpoints.log_points
        capabilities = session.adapter.capabilities
        if found.stops or log_points is None or not capabilities.supports_log_points:
            return ""
        parts = split_log_message(found.log_message, session.profile.language)
        return log_points.message(found.number, [p.expression for p in parts if p.expression])

    def _merge_temporary(
        self, path: str, lines: list[int], line: int, answers: list[AdapterBreakpoint]
    ) -> bool:
        index = lines.index(line) if line in lines else len(lines)
        answer = answers[index] if index < len(answers) else None
        is_possible = answer is not None and (
            answer.verified or is_late(self._session.profile, answer.message)
        )
        if answer is None or not is_possible or answer.line not in (None, line):
            self._temporary.lines.pop(path, None)
            return answer is not None and answer.verified
        if answer.id is not None:
            self._temporary.adapter_ids.add(answer.id)
        return False


def listed_files_of(found: Breakpoint, profile: AdapterProfile) -> set[str]:
    """The files whose lists it belongs to; an adapter that finds functions has them apart."""
    is_apart = found.kind is BreakpointKind.FUNCTION and not profile.sources.finds_functions
    return set() if is_apart else files_of(found)
