"""What the person asked to stop at, and what became of it.

The registry is the intent: it exists before an adapter, after it died and across restarts. What
an adapter answered stands beside the intent. ``Breakpoints`` takes every wish, of whichever front
end; each change is published at once and then handed to ``binding.py``, which sends it.

A breakpoint is never moved (R001-31): where the adapter answers with another line, that
breakpoint is taken back and shown as refused, with the line where it could go.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import msgspec

from tuidbg.adapters.probe import ProbeReport
from tuidbg.config.stamps import file_stamp
from tuidbg.dap.types import Breakpoint as AdapterBreakpoint
from tuidbg.session.breakpoints.binding import Binding, pending, refused
from tuidbg.session.breakpoints.options import BreakpointSettings, refuse_settings, tidy_settings
from tuidbg.session.breakpoints.registry import BreakpointRegistry, files_of
from tuidbg.session.errors import InvalidSetting
from tuidbg.session.events import BreakpointsChanged, BreakpointsMuted
from tuidbg.session.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    DataAccess,
    ExceptionRule,
    Frame,
    OnError,
)

if TYPE_CHECKING:
    from tuidbg.session.anchors.keeping import Anchors
    from tuidbg.session.session import Session


class Breakpoints:
    """The breakpoints of a session: intent, adapter and events in step with each other."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.registry = BreakpointRegistry()
        self.binding = Binding(session, self.registry, self.publish)
        self.muted = False
        self.anchors: Anchors | None = None
        """By what the lines are found again after edits; whoever keeps breakpoints sets it."""
        self._stamps: dict[str, tuple[int, int] | None] = {}
        self._removed: list[Breakpoint] = []
        self._failed: dict[int, str] = {}

    # What a person or a program asks for

    async def toggle(self, path: str, line: int, *, origin: str = "tui") -> Breakpoint | None:
        """Set a breakpoint at a line, or delete the one that is there."""
        found = self.registry.find_line(path, line)
        if found is not None:
            await self.remove(found.number, origin=origin)
            return None
        return await self.set(path, line, origin=origin)

    async def set(
        self, path: str, line: int, *, origin: str = "tui", **settings: Unpack[BreakpointSettings]
    ) -> Breakpoint:
        """Set a breakpoint, or change the one at that line (R003-105, R004-20).

        Raises InvalidCondition, InvalidSetting.
        """
        refuse_settings(settings, self._session.language_of(path))
        if line < 1:
            raise InvalidSetting("line", "lines count from 1")
        found = self.registry.find_line(path, line)
        if found is None:
            found = self._new(BreakpointKind.LINE, origin, path=path, line=line)
        return await self._change(found, settings, origin)

    def keep_refused(
        self,
        path: str,
        line: int,
        message: str,
        *,
        origin: str = "tui",
        **settings: Unpack[BreakpointSettings],
    ) -> Breakpoint:
        """Keep one that can't be set as it was asked for, with the reason.

        One that is there already stays as it is; what was asked for is only told.
        """
        found = self.registry.find_line(path, line)
        asked = found or self._new(BreakpointKind.LINE, origin, path=path, line=line)
        told = refused(msgspec.structs.replace(asked, **tidy_settings(settings)), message, None)
        if found is None:
            self.publish(told, origin=origin)
        return told

    async def set_function(
        self, function: str, *, origin: str = "tui", **settings: Unpack[BreakpointSettings]
    ) -> Breakpoint:
        """Stop where a function begins (R004-12), or change the breakpoint that does.

        Raises InvalidCondition, InvalidSetting.
        """
        refuse_settings(settings, self._session.profile.language)
        name = self._checked_function(function)
        found = self.registry.find_function(name)
        if found is None:
            found = self._new(BreakpointKind.FUNCTION, origin, function=name)
        return await self._change(found, settings, origin)

    async def set_entry(
        self, function: str, *, origin: str, path: str = "", line: int = 0
    ) -> Breakpoint:
        """Stop once where a function begins, whatever other breakpoint of it there is.

        ``path`` and ``line`` say where that is, if it is known. Raises InvalidSetting.
        """
        if path:
            known = self._new(BreakpointKind.LINE, origin, path=path, line=line)
            return await self._change(known, {"temporary": True}, origin)
        name = self._checked_function(function)
        new = self._new(BreakpointKind.FUNCTION, origin, function=name)
        return await self._change(new, {"temporary": True}, origin)

    async def set_address(
        self, address: int, *, origin: str = "tui", **settings: Unpack[BreakpointSettings]
    ) -> Breakpoint:
        """Stop at an instruction (R000-04), where the adapter can. Raises as ``set``."""
        refuse_settings(settings, self._session.profile.language)
        if address < 0:
            raise InvalidSetting("address", "an address can't be negative")
        of_kind = self.registry.of_kind(BreakpointKind.ADDRESS)
        found = next((b for b in of_kind if b.address == address), None)
        if found is None:
            found = self._new(BreakpointKind.ADDRESS, origin, address=address)
        return await self._change(found, settings, origin)

    async def toggle_address(self, address: int, *, origin: str = "tui") -> Breakpoint | None:
        """Set a breakpoint at an instruction, or delete the one that is there."""
        found = self.registry.find_address(address)
        if found is not None:
            await self.remove(found.number, origin=origin)
            return None
        return await self.set_address(address, origin=origin)

    async def set_data(
        self,
        data: str,
        *,
        access: DataAccess = DataAccess.WRITE,
        origin: str = "tui",
        **settings: Unpack[BreakpointSettings],
    ) -> Breakpoint:
        """Stop when a value changes or is read, where the adapter can. Raises as ``set``.

        ``data`` is an expression; on native code an address is one too, with the number of bytes
        behind a colon (``0x7ffe1234:4``).
        """
        refuse_settings(settings, self._session.profile.language)
        if not data.strip():
            raise InvalidSetting("data", "name the variable that shall be watched")
        of_kind = self.registry.of_kind(BreakpointKind.DATA)
        found = next((b for b in of_kind if b.data == data.strip()), None)
        if found is None:
            found = self._new(BreakpointKind.DATA, origin, data=data.strip())
        if "data" in vars(self.binding):
            self.binding.data.ask_again(found.number)
        found = msgspec.structs.replace(found, access=access)
        return await self._change(found, settings, origin)

    async def set_exception(
        self, rule: ExceptionRule, *, origin: str = "tui", **settings: Unpack[BreakpointSettings]
    ) -> Breakpoint:
        """Stop at exceptions of a type (R004-36), or change the rule of that type.

        Raises InvalidSetting.
        """
        refuse_settings(settings, self._session.profile.language)
        rule = _checked(rule)
        of_kind = self.registry.of_kind(BreakpointKind.EXCEPTION)
        found = next((b for b in of_kind if b.exception and b.exception.type == rule.type), None)
        if found is None:
            found = self._new(BreakpointKind.EXCEPTION, origin)
        found = msgspec.structs.replace(found, exception=rule)
        return await self._change(found, settings, origin)

    async def change_rule(
        self, number: int, rule: ExceptionRule, *, origin: str = "tui"
    ) -> Breakpoint:
        """Give an exception breakpoint another rule. Raises BreakpointNotFound, InvalidSetting."""
        found = msgspec.structs.replace(self.registry.get(number), exception=_checked(rule))
        return await self._change(found, {}, origin)

    async def update(
        self, number: int, *, origin: str = "tui", **settings: Unpack[BreakpointSettings]
    ) -> Breakpoint:
        """Change what is given, keep the rest (R000-34).

        Raises BreakpointNotFound, InvalidCondition, InvalidSetting.
        """
        found = self.registry.get(number)
        refuse_settings(settings, self._session.language_of(found.path))
        return await self._change(found, settings, origin)

    def _checked_function(self, function: str) -> str:
        """Raises InvalidSetting for what is no name of a function in the program's language."""
        name = self._session.profile.function_name(function.strip())
        if not name:
            raise InvalidSetting("function", "write a name such as main, Class.method or pkg.func")
        return name

    def _new(self, kind: BreakpointKind, origin: str, **where: Any) -> Breakpoint:
        number = self.registry.new_number()
        return Breakpoint(number=number, uuid=_new_uuid(), kind=kind, origin=origin, **where)

    async def _change(
        self, found: Breakpoint, settings: BreakpointSettings, origin: str
    ) -> Breakpoint:
        known = self.registry.look_up(found.number)
        self.binding.note_settings(known, settings)
        changed = msgspec.structs.replace(self._asked_again(found), **tidy_settings(settings))
        if found.origin == "cli" and origin == "tui":
            changed = msgspec.structs.replace(changed, origin=origin)  # worth keeping now
        if "ignore_count" in settings:
            changed = msgspec.structs.replace(changed, ignore_from=found.hits)
        trigger = changed.trigger
        if trigger is not None and trigger != changed.number:
            self.registry.get(trigger)
        elif trigger is not None:
            raise InvalidSetting("trigger", "a breakpoint can't wait for itself")
        if self._waits_for(trigger, changed.number):
            raise InvalidSetting("trigger", f"breakpoint {trigger} waits for this one")
        if trigger != found.trigger:
            changed = msgspec.structs.replace(changed, armed=trigger is None)
        self.publish(changed, origin=origin)
        await self.binding.synchronise_one(changed)
        return self.registry.look_up(changed.number) or changed

    def _waits_for(self, number: int | None, other: int) -> bool:
        """Whether the breakpoint ``number`` waits, itself or through others, for ``other``."""
        seen: set[int] = set()
        while number is not None and number not in seen:
            if number == other:
                return True
            seen.add(number)
            found = self.registry.look_up(number)
            number = found.trigger if found is not None else None
        return False

    async def move(self, number: int, line: int, *, origin: str = "tui") -> Breakpoint:
        """Put it on another line of its file, with its number and all its settings."""
        found = self.registry.get(number)
        other = self.registry.find(found.path, line)
        if other is not None and other.number != number:
            await self.remove(other.number, origin=origin)
        self.publish(pending(msgspec.structs.replace(found, line=line)), origin=origin)
        await self.binding.synchronise(found.path)
        return self.registry.get(number)

    async def remove(self, number: int, *, origin: str = "tui", undo: bool = True) -> None:
        """Delete it; ``restore`` brings it back where ``undo``. Raises BreakpointNotFound."""
        await self._remove([self.registry.get(number)], origin, undo=undo)

    async def _remove(self, gone: Sequence[Breakpoint], origin: str, *, undo: bool = True) -> None:
        for each in gone:
            self.registry.remove(each.number)
            if undo:
                self._removed.append(each)
        numbers = tuple(each.number for each in gone)
        self._session.publish(BreakpointsChanged(removed=numbers), origin)
        for number in numbers:
            self._session.probe.forget(number)
            waiting = [b.number for b in self.registry if b.trigger == number and not b.armed]
            if waiting:
                who = ", ".join(map(str, waiting))
                self._session.notify(
                    f"breakpoint {who} waits for {number}, which is gone", "warning"
                )
        await self.binding.synchronise_many(gone)

    async def restore(self, *, origin: str = "tui") -> Breakpoint | None:
        """Bring back the breakpoint that was deleted last, under its number; None if none was."""
        while self._removed:
            removed = self._removed.pop()
            if removed.path and self.registry.find(removed.path, removed.line) is not None:
                continue
            self.publish(self._fresh(removed), origin=origin)
            await self.binding.synchronise_one(removed)
            return self.registry.look_up(removed.number)
        return None

    async def adopt(self, breakpoints: Sequence[Breakpoint], *, origin: str = "session") -> None:
        """Take over breakpoints of another run, as they are; their numbers are new here.

        Their triggers are meant by the numbers that they bring.
        """
        new = [self.registry.new_number() for _ in breakpoints]
        numbers = {b.number: number for b, number in zip(breakpoints, new, strict=True)}
        taken = [
            msgspec.structs.replace(
                b,
                number=number,
                uuid=b.uuid or _new_uuid(),
                trigger=numbers.get(b.trigger) if b.trigger else None,
                armed=not b.trigger or b.trigger not in numbers,
            )
            for b, number in zip(breakpoints, new, strict=True)
        ]
        self.publish_all(taken, origin=origin)
        await self.binding.synchronise_many(taken)

    # Many at once

    async def enable_all(self, enabled: bool, *, origin: str = "tui") -> None:
        """Enable or disable every breakpoint."""
        await self._enable(list(self.registry), enabled, origin)

    async def enable_group(self, group: str, enabled: bool, *, origin: str = "tui") -> None:
        """Enable or disable the breakpoints of a group."""
        await self._enable(self.registry.of_group(group), enabled, origin)

    async def _enable(self, wanted: Sequence[Breakpoint], enabled: bool, origin: str) -> None:
        settings: BreakpointSettings = {"enabled": enabled}
        changed = []
        for each in wanted:
            if each.enabled != enabled:
                self.binding.note_settings(each, settings)
                changed.append(msgspec.structs.replace(self._asked_again(each), enabled=enabled))
        self.publish_all(changed, origin=origin)
        await self.binding.synchronise_many(changed)

    async def remove_group(self, group: str, *, origin: str = "tui") -> None:
        """Delete the breakpoints of a group; ``restore`` brings back one after another."""
        await self._remove(self.registry.of_group(group), origin)

    async def mute(self, muted: bool, *, origin: str = "tui") -> None:
        """Let nothing stop, count or log, or again what was asked for; the marks stay."""
        if muted != self.muted:
            self.muted = muted
            self._session.publish(BreakpointsMuted(muted=muted), origin)
            await self.synchronise_all()
            await self._session.exceptions.synchronise()

    # Stops that leave nothing behind

    async def set_temporary(self, path: str, line: int) -> str:
        """Stop once at a line, without an entry in the list; why it can't, or nothing."""
        return await self.binding.set_temporary(path, line)

    def plan_temporary(self, path: str, line: int) -> None:
        """Stop once at a line, told to the adapter with the next list of that file."""
        self.binding.temporary[path] = line

    def plan_entry(self, functions: Sequence[str]) -> None:
        """Stop once at the first of these, told with the other functions; none: don't."""
        self.binding.entry = tuple(functions)

    @property
    def has_temporary(self) -> bool:
        """Whether a temporary breakpoint is set."""
        return bool(self.binding.temporary or self.binding.entry)

    async def clear_temporary(self) -> None:
        """Forget the temporary breakpoints."""
        await self.binding.clear_temporary()

    # What the adapter and the program say

    def numbers_of(self, adapter_ids: Iterable[int]) -> tuple[int, ...]:
        """Our numbers of the adapter's ids; ids of temporary breakpoints have none."""
        numbers = self.binding.numbers
        return tuple(dict.fromkeys(n for i in adapter_ids for n in numbers.get(i, ())))

    def hit_temporary(self, adapter_ids: Iterable[int]) -> bool:
        """Whether the temporary breakpoint is among those that were hit."""
        return any(i in self.binding.temporary_ids for i in adapter_ids)

    def take_left(self, adapter_ids: Sequence[int]) -> str:
        """That a watched local is gone, where the program stands because of that."""
        binding = self.binding
        return binding.data.take_left(adapter_ids) if "data" in vars(binding) else ""

    def look_again(self, frames: Sequence[Frame]) -> None:
        """The program stands there: what could not be set before can perhaps be now."""
        if "data" in vars(self.binding):
            self.binding.data.look_again(frames)

    def adapter_changed(self, reason: str, reported: AdapterBreakpoint) -> None:
        """A DAP ``breakpoint`` event: bound or unbound later; a removal is shown, never silent."""
        self.binding.adapter_changed(reason, reported)

    def take_counts(self, report: ProbeReport) -> None:
        """Take in what the probe counted; the counts of several processes are summed."""
        changed = []
        for counts in report.counts:
            found = self.registry.look_up(counts.number)
            if found is None:
                continue
            hits, misses, errors = self.binding.sum_counts(report.pid, counts)
            new = msgspec.structs.replace(
                found, hits=hits, misses=misses, errors=errors, armed=counts.armed
            )
            if counts.error and errors != found.errors:
                why = f"raised {counts.error}"
                new = msgspec.structs.replace(new, message=f"the condition {why}")
                if new.on_error is OnError.REPORT and not found.errors:
                    told = f"breakpoint {new.number}: its condition {why}; the program goes on"
                    self._session.notify(told, "warning", quotes=True)
                elif new.on_error is OnError.STOP:
                    self._failed[new.number] = f"the condition of breakpoint {new.number} {why}"
            if counts.done and not new.stops and new.enabled:
                message = f"told {new.at_most} times, and switched itself off"
                new = msgspec.structs.replace(new, enabled=False, message=message)
                self._session.spawn(self.binding.synchronise_one(new))
            if new != found:
                changed.append(new)
        self.publish_all(changed, origin="program")
        self.binding.note_loaded(
            path
            for counts in report.counts
            if counts.hits and (b := self.registry.look_up(counts.number))
            for path in files_of(b)
        )
        if report.loaded:
            self.binding.note_loaded(self._session.probe.loaded_files)

    def note_failure(self, number: int, sentence: str) -> None:
        """A condition failed, which is why the program stops next (``take_failure``)."""
        self._failed[number] = sentence

    def take_failure(self, hit: Iterable[int]) -> str:
        """That a condition raised, where this is why the program stops; told once."""
        failed, self._failed = self._failed, {}
        return next((failed[number] for number in hit if number in failed), "")

    @property
    def unloaded_files(self) -> Collection[str]:
        """The files with breakpoints that wait until the program imports them."""
        return self.binding.unloaded_files()

    def end_temporary(self, hit: Iterable[int]) -> None:
        """The program stands at these: those that were meant to stop once have done so."""
        gone = [b for n in hit if (b := self.registry.look_up(n)) and b.temporary]
        if gone:
            self._session.spawn(self._end_those(gone))

    async def _end_those(self, hit: Sequence[Breakpoint]) -> None:
        """Delete what has stopped once, as far as nobody has deleted it meanwhile."""
        if gone := [each for each in hit if self.registry.look_up(each.number) is not None]:
            await self._remove(gone, "session", undo=False)

    @property
    def exception_filters(self) -> frozenset[str]:
        """The moments at which any exception stops."""
        return self._session.exceptions.filters

    async def stop_at_exceptions(self, moments: frozenset[str], *, origin: str = "tui") -> None:
        """Stop at any exception at these moments (``exceptions.MOMENTS``)."""
        await self._session.exceptions.stop_at(moments, origin=origin)

    @property
    def seen_exceptions(self) -> Collection[str]:
        """The types raised in this run, as far as anybody looked."""
        return self._session.exceptions.seen

    def adapter_lost(self) -> None:
        """There is no adapter any more: what it answered no longer counts."""
        self.binding.adapter_lost()
        self.publish_all(
            [pending(b) for b in self.registry if b.status is BreakpointStatus.SET],
            origin="session",
        )

    def prepare_launch(self) -> None:
        """A new run: what was refused may be able to break now; counts begin anew."""
        self.binding.forget_counts()
        fresh = [(b, self._fresh(b)) for b in self.registry]
        self.publish_all([new for old, new in fresh if new != old], origin="session")

    async def source_changed(self, path: str) -> None:
        """The file was edited: each breakpoint goes with its line of code, or is shown as lost.

        What could not break may be able to now, and the other way round.
        """
        self._stamps[path] = file_stamp(path)
        if self.anchors is not None:
            await self._follow_edit(path, self.anchors)
        stale = [
            b
            for b in self.registry.of_file(path)
            if b.status is BreakpointStatus.REFUSED and not self._is_lost(b)
        ]
        self.publish_all([pending(b) for b in stale], origin="session")
        await self.binding.resolve_functions(self.registry.of_file(path))
        await self.binding.synchronise(path)

    async def _follow_edit(self, path: str, anchors: Anchors) -> None:
        from tuidbg.session.anchors.keeping import describe_lost, read_source
        from tuidbg.session.anchors.matching import Found

        text = await asyncio.to_thread(read_source, path)
        if text is None:
            return
        answers = await asyncio.to_thread(anchors.follow, self.registry.of_file(path), text)
        for found, answer in answers:
            if self.registry.look_up(found.number) != found:
                continue  # changed meanwhile
            if isinstance(answer, Found):
                changed = pending(msgspec.structs.replace(found, line=answer.line))
            else:
                nearest = next(iter(answer.candidates), None)
                changed = refused(found, describe_lost(answer), nearest)
            if changed != found:
                self.publish(changed, origin="session")

    async def follow_edits(self) -> None:
        """Look at the files with breakpoints; those edited since the last look are gone through."""
        for path in self.registry.files():
            stamp = file_stamp(path)
            if self._session.running_sources.is_older(path):
                continue  # they stand in what the program runs, and follow when it begins anew
            if self._stamps.setdefault(path, stamp) != stamp:
                await self.source_changed(path)

    def _is_lost(self, found: Breakpoint) -> bool:
        """Whether its line of code is gone: at its old number stands another statement now."""
        return self.anchors is not None and self.anchors.is_lost(found)

    def _asked_again(self, found: Breakpoint) -> Breakpoint:
        """What was refused is asked for afresh; what is set stays so until the answer."""
        if found.status is not BreakpointStatus.REFUSED or self._is_lost(found):
            return found
        return pending(found)

    def _fresh(self, found: Breakpoint) -> Breakpoint:
        """As before it was ever hit."""
        again = found if self._is_lost(found) else pending(found)
        armed = found.trigger is None
        return msgspec.structs.replace(
            again, hits=0, misses=0, errors=0, ignore_from=0, armed=armed
        )

    async def reconsider_all(self) -> None:
        """Other sources are passed over now: what was refused may be able to break."""
        again = [self._asked_again(b) for b in self.registry]
        changed = [b for b in again if b != self.registry.get(b.number)]
        self.publish_all(changed, origin="session")
        await self.synchronise_all()
        await self._session.exceptions.synchronise()  # which frames count is fixed when sent

    async def synchronise_all(self) -> None:
        """Send everything, as after the handshake."""
        await self.binding.synchronise_all()

    def publish(self, breakpoint: Breakpoint, *, origin: str) -> None:
        """Keep it and tell."""
        self.publish_all([breakpoint], origin=origin)

    def publish_all(self, breakpoints: Sequence[Breakpoint], *, origin: str) -> None:
        """Keep them and tell, in one event."""
        for each in breakpoints:
            self.registry.put(each)
            if each.path and each.path not in self._stamps:
                self._stamps[each.path] = file_stamp(each.path)
        if breakpoints:
            self._session.publish(BreakpointsChanged(changed=tuple(breakpoints)), origin)


def _checked(rule: ExceptionRule) -> ExceptionRule:
    """Raises InvalidSetting for a rule that could never stop (R004-42)."""
    name = rule.type.strip()
    if name and not all(part.isidentifier() for part in name.split(".") if part != "<locals>"):
        raise InvalidSetting("type", "write a type such as ValueError or pkg.mod.MyError")
    if not (rule.raised or rule.uncaught or rule.user_uncaught):
        raise InvalidSetting("raised", "choose when it stops: when raised, or when not caught")
    return msgspec.structs.replace(rule, type=name.removeprefix("builtins."))


def _new_uuid() -> str:
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"
