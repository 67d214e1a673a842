"""Changes of breakpoints: settings, deletion, edited files and hit counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.probe import HitCounts, ProbeReport
from tuidbg.config.files import file_stamp, read_source
from tuidbg.session.core.breakpoints.binding.binding import BreakpointBinding
from tuidbg.session.core.breakpoints.line_anchors import LostLine
from tuidbg.session.core.breakpoints.store import (
    IN_CONDITION,
    BreakpointRegistry,
    BreakpointSettings,
    KnownBreakpoints,
    files_of,
    in_condition,
    pending,
    refused,
    switched_off,
    tidy_settings,
)
from tuidbg.session.core.feature import hooks
from tuidbg.session.model.errors import InvalidSetting
from tuidbg.session.model.state import Breakpoint, BreakpointStatus, OnError

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


class EditFollowing:
    """Edit tracking of the files in which one session has breakpoints."""

    def __init__(
        self, session: Session, known: KnownBreakpoints, binding: BreakpointBinding
    ) -> None:
        self._session = session
        self._known = known
        self._binding = binding
        self.anchors = hooks.line_anchors(lambda path: session.running_sources.text(path))

    async def follow_edits(self) -> None:
        """Check the files with breakpoints for edits since the last check."""
        for path in self._known.registry.files():
            stamp = file_stamp(path)
            if self._session.running_sources.is_older(path):
                continue  # they match the text the program runs, and follow at its restart
            if self._known.stamps.setdefault(path, stamp) != stamp:
                await self.source_changed(path)

    async def source_changed(self, path: str) -> None:
        """Move each breakpoint of an edited file with its line of code, or show it as lost.

        Refused ones may be able to break now, and the other way round.
        """
        self._known.stamps[path] = file_stamp(path)
        await self._follow_edit(path)
        of_file = self._known.registry.of_file(path)
        stale = [
            b for b in of_file if b.status is BreakpointStatus.REFUSED and not self._is_lost(b)
        ]
        self._known.publish_all([pending(b) for b in stale], origin="session")
        await self._binding.resolve_functions(self._known.registry.of_file(path))
        await self._binding.synchronise(path)

    async def _follow_edit(self, path: str) -> None:
        registry = self._known.registry
        text = await asyncio.to_thread(read_source, path)
        if text is None:
            return
        answers = await asyncio.to_thread(self.anchors.follow, registry.of_file(path), text)
        for found, answer in answers:
            now = registry.look_up(found.number)
            if now is None or (now.path, now.line) != (found.path, found.line):
                continue  # it was moved meanwhile
            if isinstance(answer, LostLine):
                changed = refused(now, answer.sentence, answer.nearest)
            else:
                changed = pending(msgspec.structs.replace(now, line=answer))
            if changed != now:
                self._known.publish(changed, origin="session")

    def _is_lost(self, found: Breakpoint) -> bool:
        """True if its line of code is gone: its old number has another statement now."""
        return self.anchors.is_lost(found)

    def asked_again(self, found: Breakpoint) -> Breakpoint:
        """Reset a refused breakpoint for another request; a set one stays so until the reply."""
        if found.status is not BreakpointStatus.REFUSED or self._is_lost(found):
            return found
        return pending(found)

    def unhit(self, found: Breakpoint) -> Breakpoint:
        """Return the breakpoint as before its first hit."""
        again = found if self._is_lost(found) else pending(found)
        armed = found.trigger is None
        return msgspec.structs.replace(
            again, hits=0, misses=0, errors=0, ignore_from=0, armed=armed
        )


class BreakpointCounts:
    """The hit counts of one run; those of several processes are summed."""

    def __init__(
        self, session: Session, known: KnownBreakpoints, binding: BreakpointBinding
    ) -> None:
        self._session = session
        self._known = known
        self._binding = binding
        self._by_process: dict[int, dict[int, HitCounts]] = {}
        self._failures: dict[int, str] = {}
        self._forgiven: dict[int, int] = {}

    def forget(self) -> None:
        """Reset for a new run."""
        self._by_process.clear()
        self._forgiven.clear()

    def forgive(self, number: int) -> None:
        """Forget the failure of a breakpoint whose condition was changed."""
        self._forgiven[number] = self._errors_of(number)

    def _errors_of(self, number: int) -> int:
        return sum(counts.errors for counts in self._by_process.get(number, {}).values())

    def take(self, report: ProbeReport) -> None:
        """Merge a probe report."""
        registry = self._known.registry
        changed = []
        for counts in report.counts:
            found = registry.look_up(counts.number)
            if found is not None and (new := self._counted(found, report.pid, counts)) != found:
                changed.append(new)
        self._known.publish_all(changed, origin="program")
        self._binding.loading.note_loaded(
            path
            for counts in report.counts
            if counts.hits and (b := registry.look_up(counts.number))
            for path in files_of(b)
        )
        if report.loaded:
            self._binding.loading.note_loaded(self._session.probe.loaded_files)

    def _counted(self, found: Breakpoint, pid: int, counts: HitCounts) -> Breakpoint:
        by_process = self._by_process.setdefault(counts.number, {})
        by_process[pid] = counts
        errors = max(0, self._errors_of(found.number) - self._forgiven.get(found.number, 0))
        new = msgspec.structs.replace(
            found,
            hits=sum(c.hits for c in by_process.values()),
            misses=sum(c.misses for c in by_process.values()),
            errors=errors,
            armed=counts.armed,
        )
        if counts.error and errors != found.errors:
            new = self._failed(new, counts.error, is_first=not found.errors)
        if counts.done and not new.stops and new.enabled:
            new = switched_off(new)
            self._session.spawn(self._binding.synchronise_one(new))
        return new

    def _failed(self, new: Breakpoint, why: str, *, is_first: bool) -> Breakpoint:
        if new.on_error is OnError.REPORT and is_first:
            told = f"{in_condition(why, new.number)}; the program goes on"
            self._session.notify(told, "warning", quotes=True)
        elif new.on_error is OnError.STOP:
            self.note_failure(new.number, in_condition(why, new.number))
        return msgspec.structs.replace(new, message=f"{why}{IN_CONDITION}")

    def note_failure(self, number: int, sentence: str) -> None:
        """Record that a condition failed, the reason for the next stop (``take_failure``)."""
        self._failures[number] = sentence

    def take_failure(self, hit: Iterable[int]) -> str:
        """Return that a condition raised, if the program stopped for that; reported once."""
        failures, self._failures = self._failures, {}
        return next((failures[number] for number in hit if number in failures), "")


class Removal:
    """The deleted breakpoints of one session."""

    def __init__(
        self,
        session: Session,
        known: KnownBreakpoints,
        binding: BreakpointBinding,
        following: EditFollowing,
    ) -> None:
        self._session = session
        self._known = known
        self._binding = binding
        self._following = following
        self._removed: list[Breakpoint] = []

    async def remove(self, gone: Sequence[Breakpoint], *, origin: str, undo: bool = True) -> None:
        """Delete them; ``restore`` brings them back one by one where ``undo``."""
        if undo:
            self._removed += gone
        self._known.remove_all(gone, origin=origin)
        self.forget(gone)
        await self._binding.synchronise_many(gone)

    def forget(self, gone: Sequence[Breakpoint]) -> None:
        """Drop the counts of deleted breakpoints, and warn of others that wait for one."""
        for each in gone:
            self._session.probe.forget(each.number)
            self._warn_waiting(each.number)

    def _warn_waiting(self, number: int) -> None:
        registry = self._known.registry
        waiting = [b.number for b in registry if b.trigger == number and not b.armed]
        if waiting:
            who = ", ".join(map(str, waiting))
            self._session.notify(f"breakpoint {who} waits for {number}, which is gone", "warning")

    async def restore(self, *, origin: str) -> Breakpoint | None:
        """Restore the last deleted one, under its number; None if there is none."""
        registry = self._known.registry
        while self._removed:
            removed = self._removed.pop()
            if removed.path and registry.find(removed.path, removed.line) is not None:
                continue
            self._known.publish(self._following.unhit(removed), origin=origin)
            await self._binding.synchronise_one(removed)
            return registry.look_up(removed.number)
        return None

    def end_temporary(self, hit: Sequence[int]) -> None:
        """End the temporary breakpoints among those hit."""
        gone = [b for n in hit if (b := self._known.registry.look_up(n)) and b.temporary]
        if gone:
            self._session.spawn(self._end_those(gone))

    async def _end_those(self, hit: Sequence[Breakpoint]) -> None:
        """Delete those that have stopped once, unless deleted meanwhile."""
        registry = self._known.registry
        if gone := [each for each in hit if registry.look_up(each.number) is not None]:
            await self.remove(gone, origin="session", undo=False)


class Changing:
    """Changes of the settings of one session's breakpoints."""

    def __init__(
        self,
        known: KnownBreakpoints,
        binding: BreakpointBinding,
        following: EditFollowing,
        removed: Callable[[Sequence[Breakpoint]], None],
        corrected: Callable[[int], None],
    ) -> None:
        """``removed`` is called with the deleted breakpoints before that is sent.

        ``corrected`` is called with the number of one whose condition changed.
        """
        self._known = known
        self._binding = binding
        self._following = following
        self.switched_off: frozenset[int] = frozenset()
        """Numbers of those disabled together: they are enabled again together."""
        self._removed = removed
        self._corrected = corrected

    async def change(
        self, found: Breakpoint, settings: BreakpointSettings, origin: str
    ) -> Breakpoint:
        """Keep it with these settings, publish and send it; return it as it is after the reply.

        Raises BreakpointNotFound for an unknown trigger, InvalidSetting for a circular one.
        """
        changed = self._prepare(found, settings, origin)
        self._known.publish(changed, origin=origin)
        await self._binding.synchronise_one(changed)
        return self._known.registry.look_up(changed.number) or changed

    async def change_all(
        self,
        wanted: Sequence[tuple[Breakpoint, BreakpointSettings]],
        gone: Sequence[Breakpoint] = (),
        *,
        origin: str,
    ) -> None:
        """Change many, and delete those that are ``gone``, in one step.

        Each of ``wanted`` is one of ``known`` or newly made there. Raises as ``change``.
        """
        changed = [self._prepare(found, settings, origin) for found, settings in wanted]
        if gone:
            self._known.remove_all(gone, origin=origin)
            self._removed(gone)
        self._known.publish_all(changed, origin=origin)
        await self._binding.synchronise_many([*gone, *changed])

    def _prepare(self, found: Breakpoint, settings: BreakpointSettings, origin: str) -> Breakpoint:
        registry = self._known.registry
        self.switched_off -= {found.number}
        self._binding.probing.note_settings(registry.look_up(found.number), settings)
        changed = msgspec.structs.replace(
            self._following.asked_again(found), **tidy_settings(settings)
        )
        if found.origin == "cli" and origin == "tui":
            changed = msgspec.structs.replace(changed, origin=origin)  # worth keeping now
        if "ignore_count" in settings:
            changed = msgspec.structs.replace(changed, ignore_from=found.hits)
        if changed.condition != found.condition and found.errors:
            self._corrected(found.number)
            is_set = changed.status is BreakpointStatus.SET
            message = "" if is_set else changed.message
            changed = msgspec.structs.replace(changed, errors=0, message=message)
        if changed.ranks != found.ranks:
            changed = pending(changed)
        _check_trigger(registry, changed)
        if changed.trigger != found.trigger:
            changed = msgspec.structs.replace(changed, armed=changed.trigger is None)
        return changed

    async def take_rank(self, rank: int | None) -> None:
        """Apply the process's reported rank: breakpoints for some ranks may concern it."""
        if rank != self._known.rank:
            self._known.rank = rank
            await self._binding.synchronise_many([b for b in self._known.registry if b.ranks])

    async def rename(self, found: Breakpoint, function: str, origin: str) -> Breakpoint:
        """Stop at another function, keeping its number and settings.

        Another breakpoint of that function is replaced. ``function`` is the profile's form of the
        name.
        """
        other = self._known.registry.find_function(function)
        gone = [other] if other is not None and other.number != found.number else []
        if gone:
            self._known.remove_all(gone, origin=origin)
            self._removed(gone)
        renamed = msgspec.structs.replace(
            pending(found), function=function, path="", line=0, places=()
        )
        self._known.publish(renamed, origin=origin)
        await self._binding.synchronise_many([*gone, found, renamed])
        return self._known.registry.look_up(found.number) or renamed

    async def enable(self, wanted: list[Breakpoint], enabled: bool, origin: str) -> None:
        """Enable or disable these, in one step.

        If some of them were disabled together, only those are enabled: a breakpoint that the user
        disabled individually stays so.
        """
        numbers = {each.number for each in wanted if each.enabled != enabled}
        if not enabled:
            self.switched_off |= numbers
        else:
            numbers = numbers & self.switched_off or numbers
            wanted = [each for each in wanted if each.number in numbers]
            self.switched_off -= numbers
        settings: BreakpointSettings = {"enabled": enabled}
        changed = []
        for each in wanted:
            if each.enabled != enabled:
                self._binding.probing.note_settings(each, settings)
                again = self._following.asked_again(each)
                changed.append(msgspec.structs.replace(again, enabled=enabled))
        self._known.publish_all(changed, origin=origin)
        await self._binding.synchronise_many(changed)


def _check_trigger(registry: BreakpointRegistry, changed: Breakpoint) -> None:
    trigger = changed.trigger
    if trigger is None:
        return
    if trigger == changed.number:
        raise InvalidSetting("trigger", "a breakpoint can't wait for itself")
    registry.get(trigger)
    if _waits_for(registry, trigger, changed.number):
        raise InvalidSetting("trigger", f"breakpoint {trigger} waits for this one")


def _waits_for(registry: BreakpointRegistry, number: int | None, other: int) -> bool:
    """True if the breakpoint ``number`` waits, itself or through others, for ``other``."""
    seen: set[int] = set()
    while number is not None and number not in seen:
        if number == other:
            return True
        seen.add(number)
        found = registry.look_up(number)
        number = found.trigger if found is not None else None
    return False
