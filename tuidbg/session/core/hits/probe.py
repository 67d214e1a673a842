"""The session's end of the probe: installs it in the program and handles its reports.

It is installed as late as possible: when the first breakpoint or exception rule needs it. If that
fails (no such adapter, no reply), ``is_there`` stays false and the session decides at each stop
itself.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from tuidbg.adapters.errors import AdapterError
from tuidbg.adapters.languages import Language
from tuidbg.adapters.probe import HitRecord, ProbeReport
from tuidbg.session.core.breakpoints.predicates import read_hit_condition
from tuidbg.session.core.evaluation.implicit_resume import ask_program
from tuidbg.session.core.feature import hooks
from tuidbg.session.core.hits.log_messages import find_secrets, split_log_message
from tuidbg.session.core.output import Pulse
from tuidbg.session.model.events import TraceProduced
from tuidbg.session.model.state import Breakpoint, ExceptionRule, Place, TraceRecord

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


def make_spec(
    breakpoint: Breakpoint, ignore_set: int, budget_set: int, *, language: Language
) -> dict[str, Any]:
    """``ignore_set`` and ``budget_set`` change when the ignore count or the budget restart."""
    b = breakpoint
    operator, value = read_hit_condition(b.hit_condition) or ("", 0)
    parts = [
        (part.text, part.expression, part.conversion, part.format)
        for part in split_log_message(b.log_message, language)
    ]
    return {
        "number": b.number,
        "kind": "stop" if b.stops else "trace" if b.trace else "log",
        "condition": b.condition,
        "on_error": str(b.on_error),
        "operator": operator,
        "value": value,
        "ignore": b.ignore_count,
        "ignore_set": ignore_set,
        "every": b.every,
        "at_most": b.at_most,
        "budget_set": budget_set,
        "parts": parts,
        "commands": list(b.commands),
        "trigger": b.trigger or 0,
        "temporary": b.temporary,
    }


def make_rule(number: int, rule: ExceptionRule) -> dict[str, Any]:
    """Return an exception rule; number 0 is that of any exception, which is no breakpoint."""
    return {
        "number": number,
        "type": rule.type,
        "raised": rule.raised,
        "uncaught": rule.uncaught,
        "user_uncaught": rule.user_uncaught,
        "subtypes": rule.subtypes,
        "ignored": list(rule.ignored),
        "modules": list(rule.modules),
    }


_ANSWER_WITHIN = 5.0
"""Seconds; a pydevd thread replies, even while the program waits."""

AT_ONCE = 4000
"""Breakpoints sent in one expression: the program compiles it within that time."""

LOOK_EVERY = 0.3
"""Seconds between two queries of the imported modules, while a breakpoint waits for one."""


class ProbeLink:
    """The probe of one session's program."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._trace_pulse = Pulse(self._tell_trace, at_once=False)
        self._put: dict[int, Mapping[str, Any]] = {}
        self._misfits: set[str] = set()
        self._installing = asyncio.Lock()
        self._watching: asyncio.Task[None] | None = None
        self.is_there = False
        self.failed = False
        self.loaded_files: frozenset[str] = frozenset()
        self.hit_exceptions: tuple[int, ...] = ()
        self.stopped: set[int] | None = None

    def reset(self) -> None:
        """Reset, as there is no program any more."""
        self._put.clear()
        self.is_there = self.failed = False
        self.loaded_files = frozenset()
        self.hit_exceptions = ()
        self.stopped = None
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None

    async def install(self) -> bool:
        """Install it if necessary; True if it is there."""
        session = self._session
        async with self._installing:
            probe = session.profile.probe
            if self.is_there or self.failed or probe is None or not session.adapter.is_configurable:
                return self.is_there
            try:
                await self._evaluate(probe.install())
            except AdapterError as error:
                self.failed = True
                session.notify(
                    f"breakpoints are decided outside of the program, which is slower: {error}",
                    "warning",
                )
                return False
            self.is_there = True
            return True

    async def put(self, specs: Sequence[Mapping[str, Any]]) -> dict[int, str]:
        """Send new or changed breakpoints; return the program's compile errors by number.

        Raises AdapterError.
        """
        assert self._session.profile.probe is not None
        changed = [spec for spec in specs if self._put.get(spec["number"]) != spec]
        problems: dict[int, str] = {}
        for begin in range(0, len(changed), AT_ONCE):
            problems |= await self._put_some(changed[begin : begin + AT_ONCE])
        return problems

    async def _put_some(self, changed: Sequence[Mapping[str, Any]]) -> dict[int, str]:
        assert self._session.profile.probe is not None
        answer = await self._evaluate(self._session.profile.probe.put(changed))
        self._put.update({spec["number"]: spec for spec in changed})
        try:
            problems: dict[int, str] = ast.literal_eval(answer)
        except (ValueError, SyntaxError):
            return {}
        return problems

    async def catch(self, rules: Sequence[Mapping[str, Any]]) -> None:
        """Send the exceptions that stop. Raises AdapterError."""
        assert self._session.profile.probe is not None
        await self._evaluate(self._session.profile.probe.catch(rules))

    def forget(self, number: int) -> None:
        """Forget a deleted breakpoint; if restored, it counts from 0."""
        probe = self._session.profile.probe
        if self.is_there and probe is not None and self._put.pop(number, None) is not None:
            self._session.spawn(self._try(probe.forget([number])))

    async def _evaluate(self, expression: str) -> str:
        return await ask_program(self._session, expression, within=_ANSWER_WITHIN)

    async def _try(self, expression: str) -> None:
        try:
            await self._evaluate(expression)
        except AdapterError:
            pass  # its object is gone, or the next query repeats it

    def take_hit(self, candidates: tuple[int, ...], *, is_breakpoint: bool) -> tuple[int, ...]:
        """Return the breakpoints of a line that stopped there; all without a report.

        A breakpoint hit the moment it is set stops before the adapter has replied with its id: then
        there are no candidates, and the program's report is used.
        """
        stopped, self.stopped = self.stopped, None
        if stopped is None:
            return candidates
        if not candidates and is_breakpoint:
            known = self._session.breakpoints.registry
            return tuple(n for n in sorted(stopped) if known.look_up(n) is not None)
        return tuple(n for n in candidates if n in stopped)

    # Imports of the program

    def watch_imports(self) -> None:
        """Query repeatedly, while some breakpoint waits for its file."""
        if self.is_there and (self._watching is None or self._watching.done()):
            self._watching = asyncio.create_task(self._watch_imports())

    async def _watch_imports(self) -> None:
        probe = self._session.profile.probe
        assert probe is not None
        while names := sorted({PurePath(p).name for p in self._session.breakpoints.unloaded_files}):
            await self._try(probe.look(names))
            await asyncio.sleep(LOOK_EVERY)

    # Reports

    def take(self, report: ProbeReport) -> None:
        """Handle a report."""
        session = self._session
        if report.notice:
            session.notify(report.notice, "warning")
        self.report_misfits(report.misfits)
        if report.loaded is not None:
            self.loaded_files |= frozenset(map(session.sources.here, report.loaded))
        for path in map(session.sources.here, report.reloaded):
            session.spawn(self._follow_reload(path))
        if report.hit:
            self.hit_exceptions = report.hit
        if report.stopped is not None:
            self.stopped = (self.stopped or set()) | set(report.stopped)
        session.breakpoints.take_counts(report)
        if report.recording and hooks.recorder_report is not None:
            hooks.recorder_report(session, report.recording)
        if report.seen:
            session.exceptions.note_seen(report.seen)
        for record in report.records:
            self.take_record(record)

    async def _follow_reload(self, path: str) -> None:
        """Use the reloaded text of a file from now on, for breakpoints too."""
        session = self._session
        await asyncio.to_thread(session.running_sources.loaded_again, path)
        if session.breakpoints.registry.of_file(path):
            await session.breakpoints.source_changed(path)

    def report_misfits(self, sentence: str) -> None:
        """Report debugger patches that do not fit; not repeated after a restart."""
        if sentence and sentence not in self._misfits:
            self._misfits.add(sentence)
            self._session.notify(sentence, "warning")

    def take_record(self, record: HitRecord) -> None:
        """Add a hit's record to the trace and the console."""
        session = self._session
        found = session.breakpoints.registry.look_up(record.number)
        path = found.path if found is not None and found.path else record.path
        are_secret = None  # of a deleted one it is unknown what it wrote
        if found is not None:
            are_secret = find_secrets(found.log_message, session.profile.language)
        if found is None or not found.trace:
            place = f"{PurePath(path).name}:{record.line}"
            at = Place(path=path, line=record.line)
            is_secret = are_secret is None or any(are_secret)
            text = f"{place}: {record.text}\n"
            session.write_output("console", text, at, is_secret=is_secret)
            if found is None or found.stops:
                return
        session.trace.append(
            TraceRecord(
                number=session.trace.new_number(),
                breakpoint=record.number,
                count=record.count,
                time=record.time,
                thread=record.thread,
                text=record.text,
                path=path,
                line=record.line,
                are_secret=are_secret,
            )
        )
        self._trace_pulse.tell_soon()

    def _tell_trace(self) -> None:
        self._session.publish(TraceProduced(last=self._session.trace.last_number), "program")

    def close(self) -> None:
        """Stop all reports."""
        self._trace_pulse.close()
