"""What the person asked to stop at, and what became of it.

The registry is the intent: it exists before an adapter, after it died and across restarts. What
an adapter answered stands beside the intent. ``Breakpoints`` keeps the two together: every change
is published at once and then sent as the file's whole list (DAP ``setBreakpoints``).

A breakpoint is never moved (R001-31): where the adapter answers with another line, that
breakpoint is taken back and shown as refused, with the line where it could go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.dap.types import Breakpoint as AdapterBreakpoint
from tuidbg.dap.types import BreakpointsBody
from tuidbg.session.errors import BreakpointNotFound
from tuidbg.session.events import BreakpointsChanged
from tuidbg.session.predicates import check_condition, nearest_line
from tuidbg.session.registry import BreakpointRegistry
from tuidbg.session.state import Breakpoint, BreakpointStatus

if TYPE_CHECKING:
    from tuidbg.session.session import Session


class Breakpoints:
    """The breakpoints of a session: intent, adapter and events in step with each other."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.registry = BreakpointRegistry()
        self._removed: list[Breakpoint] = []
        self._temporary: dict[str, int] = {}
        self._numbers: dict[int, int] = {}
        self._temporary_ids: set[int] = set()
        self._locks: dict[str, asyncio.Lock] = {}

    # What a person or a program asks for

    async def toggle(self, path: str, line: int, *, origin: str = "tui") -> Breakpoint | None:
        """Set a breakpoint at a line, or delete the one that is there."""
        found = self.registry.find(path, line)
        if found is not None:
            await self.remove(found.number, origin=origin)
            return None
        return await self.set(path, line, origin=origin)

    async def set(
        self,
        path: str,
        line: int,
        *,
        condition: str = "",
        enabled: bool = True,
        origin: str = "tui",
    ) -> Breakpoint:
        """Set a breakpoint, or change the one at that line. Raises InvalidCondition."""
        check_condition(condition)
        found = self.registry.find(path, line)
        if found is None:
            found = Breakpoint(
                number=self.registry.new_number(), path=path, line=line, origin=origin
            )
        found = _asked_again(found)
        changed = msgspec.structs.replace(found, condition=condition.strip(), enabled=enabled)
        self._publish(changed, origin=origin)
        await self.synchronise(path)
        return self.registry.get(changed.number)

    async def update(
        self,
        number: int,
        *,
        condition: str | None = None,
        enabled: bool | None = None,
        origin: str = "tui",
    ) -> Breakpoint:
        """Change what is given, keep the rest. Raises BreakpointNotFound, InvalidCondition."""
        found = _asked_again(self.registry.get(number))
        if condition is not None:
            check_condition(condition)
            found = msgspec.structs.replace(found, condition=condition.strip())
        if enabled is not None:
            found = msgspec.structs.replace(found, enabled=enabled)
        self._publish(found, origin=origin)
        await self.synchronise(found.path)
        return self.registry.get(number)

    async def move(self, number: int, line: int, *, origin: str = "tui") -> Breakpoint:
        """Put it on another line of its file, with its number and its condition."""
        found = self.registry.get(number)
        other = self.registry.find(found.path, line)
        if other is not None and other.number != number:
            await self.remove(other.number, origin=origin)
        self._publish(_pending(msgspec.structs.replace(found, line=line)), origin=origin)
        await self.synchronise(found.path)
        return self.registry.get(number)

    async def remove(self, number: int, *, origin: str = "tui") -> None:
        """Delete it; ``restore`` brings it back. Raises BreakpointNotFound."""
        removed = self.registry.remove(number)
        self._removed.append(removed)
        self._session.publish(BreakpointsChanged(removed=(number,)), origin)
        await self.synchronise(removed.path)

    async def restore(self, *, origin: str = "tui") -> Breakpoint | None:
        """Bring back the breakpoint that was deleted last, under its number; None if none was."""
        while self._removed:
            removed = self._removed.pop()
            if self.registry.find(removed.path, removed.line) is not None:
                continue
            self._publish(_pending(removed), origin=origin)
            await self.synchronise(removed.path)
            return self.registry.get(removed.number)
        return None

    async def set_temporary(self, path: str, line: int) -> str:
        """Stop once at a line, without an entry in the list; why it can't, or nothing."""
        if problem := (await self._refusal(path, line))[0]:
            return problem
        self._temporary[path] = line
        await self.synchronise(path)
        return "" if path in self._temporary else f"line {line} can't break"

    def plan_temporary(self, path: str, line: int) -> None:
        """Stop once at a line, told to the adapter with the next list of that file."""
        self._temporary[path] = line

    @property
    def has_temporary(self) -> bool:
        """Whether a temporary breakpoint is set."""
        return bool(self._temporary)

    async def clear_temporary(self) -> None:
        """Forget the temporary breakpoints."""
        paths = list(self._temporary)
        self._temporary.clear()
        self._temporary_ids.clear()
        for path in paths:
            await self.synchronise(path)

    # What the adapter says

    def numbers_of(self, adapter_ids: Iterable[int]) -> tuple[int, ...]:
        """Our numbers of the adapter's ids; ids of temporary breakpoints have none."""
        return tuple(self._numbers[i] for i in adapter_ids if i in self._numbers)

    def hit_temporary(self, adapter_ids: Iterable[int]) -> bool:
        """Whether the temporary breakpoint is among those that were hit."""
        return any(i in self._temporary_ids for i in adapter_ids)

    def adapter_changed(self, reason: str, reported: AdapterBreakpoint) -> None:
        """A DAP ``breakpoint`` event: bound or unbound later; a removal is shown, never silent.

        Where the adapter moved it, it is taken back as in an answer (R001-23, R001-31).
        """
        number = self._numbers.get(reported.id if reported.id is not None else -1)
        if number is None:
            return
        try:
            found = self.registry.get(number)
        except BreakpointNotFound:
            return
        moved = reported.verified and reported.line not in (None, found.line)
        if reason == "removed":
            changed = _refused(found, reported.message or "the debug adapter removed it", None)
        elif moved:
            changed = _refused(found, _no_code(found.line), reported.line)
            self._session.spawn(self.synchronise(found.path))
        elif reported.verified:
            changed = _set(found)
        else:
            message = reported.message or "the debug adapter took it back"
            changed = _refused(found, message, None)
        if changed != found:
            self._publish(changed, origin="adapter")

    def adapter_lost(self) -> None:
        """There is no adapter any more: what it answered no longer counts."""
        self._numbers.clear()
        self._temporary.clear()
        self._temporary_ids.clear()
        for found in list(self.registry):
            if found.status is BreakpointStatus.SET:
                self.reconsider(found)

    def prepare_launch(self) -> None:
        """A new run: what was refused may be able to break now, the code may have changed."""
        for found in list(self.registry):
            self.reconsider(found)

    def reconsider(self, found: Breakpoint) -> None:
        """Forget what was answered for it; it will be asked for again."""
        pending = _pending(found)
        if pending != found:
            self._publish(pending, origin="session")

    async def source_changed(self, path: str) -> None:
        """The file was edited: what could not break may be able to now, and the other way round."""
        for found in self.registry.of_file(path):
            if found.status is BreakpointStatus.REFUSED:
                self.reconsider(found)
        await self.synchronise(path)

    async def synchronise_all(self) -> None:
        """Send every file's list, as after the handshake."""
        files = set(self.registry.files()) | set(self._temporary)
        await asyncio.gather(*(self.synchronise(path) for path in files))

    async def synchronise(self, path: str) -> None:
        """Send one file's whole list and merge the answer; one at a time for each file.

        Does nothing without an adapter, and gives up quietly when the adapter dies meanwhile: the
        session tells that, and the intent stays.
        """
        async with self._locks.setdefault(path, asyncio.Lock()):
            await self._refuse_lines_without_code(path)
            if not self._session.is_configurable:
                return
            self._refuse_conditions(path)
            try:
                while await self._send(path):
                    pass
            except AdapterError as error:
                for found in self.registry.of_file(path):
                    if found.status is BreakpointStatus.PENDING and found.enabled:
                        self._publish(
                            msgspec.structs.replace(found, message=str(error)), origin="adapter"
                        )

    async def _refuse_lines_without_code(self, path: str) -> None:
        """Refuse what the interpreter already says can't break, before it ever gets to stop."""
        for found in self.registry.of_file(path):
            if found.status is not BreakpointStatus.PENDING:
                continue
            message, suggested = await self._refusal(path, found.line)
            current = self.registry.find(path, found.line)
            if message and current is not None and current.number == found.number:
                self._publish(_refused(current, message, suggested), origin="session")

    def _refuse_conditions(self, path: str) -> None:
        """An adapter that knows no conditions would stop at every pass (R001-11)."""
        if self._session.capabilities.supports_conditional_breakpoints:
            return
        for found in self.registry.of_file(path):
            if found.condition and found.status is not BreakpointStatus.REFUSED:
                self._publish(
                    _refused(found, "this debug adapter knows no conditions", None),
                    origin="session",
                )

    async def _refusal(self, path: str, line: int) -> tuple[str, int | None]:
        """Why a line can't break and the nearest that can, as far as is known; else nothing."""
        facts = await self._session.source_facts(path)
        if facts.problem is not None and facts.problem.path:
            return f"this file does not compile: {facts.problem.message}", None
        lines = facts.code_lines
        if not lines or line in lines:
            return "", None
        nearest = nearest_line(lines, line)
        if line > lines[-1]:
            return f"line {line} is past the last line of code, {lines[-1]}", nearest
        return _no_code(line), nearest

    async def _send(self, path: str) -> bool:
        """Send the list once; True if something was refused and the rest must be sent again."""
        wanted = [
            b
            for b in self.registry.of_file(path)
            if b.enabled and b.status is not BreakpointStatus.REFUSED
        ]
        temporary = self._temporary.get(path)
        extra = temporary is not None and all(b.line != temporary for b in wanted)
        # Running to the cursor stops there whatever a condition on that line says.
        sent = [{"line": b.line} if b.line == temporary else _as_sent(b) for b in wanted]
        if temporary is not None and extra:
            sent.append({"line": temporary})
        answer = await self._session.request(
            "setBreakpoints",
            {"source": {"path": path}, "breakpoints": sent},
            into=BreakpointsBody,
        )
        again = False
        for index, asked in enumerate(wanted):
            reported = answer.breakpoints[index] if index < len(answer.breakpoints) else None
            again |= await self._merge(asked, reported)
        if temporary is not None:
            again |= self._merge_temporary(path, wanted, temporary, answer.breakpoints)
        return again

    async def _merge(self, asked: Breakpoint, reported: AdapterBreakpoint | None) -> bool:
        """Merge one answer; True if the adapter set it where nobody asked for it."""
        answered = reported.line if reported is not None and reported.verified else None
        moved = answered is not None and answered != asked.line
        try:
            current = self.registry.get(asked.number)
        except BreakpointNotFound:
            return moved  # deleted meanwhile, and that deletion waits for its turn
        if reported is not None and reported.id is not None:
            self._numbers[reported.id] = asked.number
        if _as_asked(current) != _as_asked(asked):
            return moved  # changed meanwhile, and that change waits for its turn
        if reported is None:
            changed = _refused(current, "the debug adapter gave no answer for it", None)
        elif moved:
            lines = (await self._session.source_facts(asked.path)).code_lines
            suggested = (nearest_line(lines, asked.line) if lines else answered) or None
            changed = _refused(current, _no_code(asked.line), suggested)
        elif reported.verified:
            changed = _set(current)
        else:
            message = reported.message or "the debug adapter could not set it"
            changed = _refused(current, message, None)
        if changed != current:
            self._publish(changed, origin="adapter")
        return moved

    def _merge_temporary(
        self,
        path: str,
        wanted: list[Breakpoint],
        line: int,
        answers: list[AdapterBreakpoint],
    ) -> bool:
        index = next((i for i, b in enumerate(wanted) if b.line == line), len(wanted))
        answer = answers[index] if index < len(answers) else None
        if answer is None or not answer.verified or answer.line not in (None, line):
            self._temporary.pop(path, None)
            return answer is not None and answer.verified
        if index == len(wanted) and answer.id is not None:
            self._temporary_ids.add(answer.id)
        return False

    def _publish(self, breakpoint: Breakpoint, *, origin: str) -> None:
        self.registry.put(breakpoint)
        self._session.publish(BreakpointsChanged(changed=(breakpoint,)), origin)


def _as_sent(breakpoint: Breakpoint) -> dict[str, Any]:
    sent: dict[str, Any] = {"line": breakpoint.line}
    if breakpoint.condition:
        sent["condition"] = breakpoint.condition
    return sent


def _as_asked(breakpoint: Breakpoint) -> tuple[int, str, bool]:
    return breakpoint.line, breakpoint.condition, breakpoint.enabled


def _no_code(line: int) -> str:
    return f"no executable code at line {line}"


def _pending(breakpoint: Breakpoint) -> Breakpoint:
    return msgspec.structs.replace(
        breakpoint, status=BreakpointStatus.PENDING, message="", suggested_line=None
    )


def _asked_again(breakpoint: Breakpoint) -> Breakpoint:
    """What was refused is asked for afresh; what is set stays so until the answer."""
    return _pending(breakpoint) if breakpoint.status is BreakpointStatus.REFUSED else breakpoint


def _set(breakpoint: Breakpoint) -> Breakpoint:
    return msgspec.structs.replace(
        breakpoint, status=BreakpointStatus.SET, message="", suggested_line=None
    )


def _refused(breakpoint: Breakpoint, message: str, suggested: int | None) -> Breakpoint:
    return msgspec.structs.replace(
        breakpoint,
        status=BreakpointStatus.REFUSED,
        message=message,
        suggested_line=suggested,
    )
