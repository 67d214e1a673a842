"""The breakpoints of a session, for setting, changing and hitting them.

The registry is the intent: it exists before an adapter, after it died and across restarts. The
adapter's results are kept beside the intent. ``SessionBreakpoints`` accepts the requests of all
front ends; each change is published at once and then passed to ``binding``, which sends it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Unpack

import msgspec

from tuidbg.adapters.probe import ProbeReport
from tuidbg.dap.types import DapBreakpoint as AdapterBreakpoint
from tuidbg.session.core.breakpoints.binding.binding import BreakpointBinding
from tuidbg.session.core.breakpoints.changes import (
    BreakpointCounts,
    Changing,
    EditFollowing,
    Removal,
)
from tuidbg.session.core.breakpoints.kinds import exceptions, locations
from tuidbg.session.core.breakpoints.store import (
    BreakpointSettings,
    KnownBreakpoints,
    new_uuid,
    pending,
    refuse_settings,
    refused,
    tidy_settings,
)
from tuidbg.session.model.events import BreakpointsMuted
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    DataAccess,
    ExceptionRule,
    Frame,
)

if TYPE_CHECKING:
    from tuidbg.session.core.breakpoints.line_anchors import LineAnchors
    from tuidbg.session.core.session import Session


class SessionBreakpoints:
    """The breakpoints of a session, with intent, adapter and events kept in step."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.known = KnownBreakpoints(session)
        self.registry = self.known.registry
        self.binding = BreakpointBinding(session, self.known)
        self._counts = BreakpointCounts(session, self.known, self.binding)
        self._following = EditFollowing(session, self.known, self.binding)
        self._removal = Removal(session, self.known, self.binding, self._following)
        forget, forgive = self._removal.forget, self._counts.forgive
        self.changing = Changing(self.known, self.binding, self._following, forget, forgive)

    # Setting

    async def toggle(self, path: str, line: int, *, origin: str) -> Breakpoint | None:
        """Set a breakpoint at a line, or delete the one that is there."""
        found = self.registry.find_line(path, line)
        if found is not None:
            await self.remove(found.number, origin=origin)
            return None
        return await self.set(path, line, origin=origin)

    async def set(
        self, path: str, line: int, *, origin: str, **settings: Unpack[BreakpointSettings]
    ) -> Breakpoint:
        """Set a breakpoint, or change the one at that line.

        Raises InvalidCondition, InvalidSetting.
        """
        refuse_settings(settings, self._session.facts.language_of(path))
        found = locations.find_or_make_line(self.known, path, line, origin)
        return await self.changing.change(found, settings, origin)

    def keep_refused(
        self,
        path: str,
        line: int,
        message: str,
        *,
        origin: str,
        **settings: Unpack[BreakpointSettings],
    ) -> Breakpoint:
        """Keep one that can't be set as requested, with the reason.

        An existing one stays unchanged; the request is only published.
        """
        found = self.registry.find_line(path, line)
        asked = found or self.known.make(BreakpointKind.LINE, origin, path=path, line=line)
        told = refused(msgspec.structs.replace(asked, **tidy_settings(settings)), message)
        if found is None:
            self.publish(told, origin=origin)
        return told

    async def set_function(
        self, function: str, *, origin: str, **settings: Unpack[BreakpointSettings]
    ) -> Breakpoint:
        """Stop at a function's entry, or change the breakpoint that does. Raises as ``set``."""
        profile = self._session.profile
        refuse_settings(settings, profile.language)
        found = locations.find_or_make_function(self.known, profile, function, origin)
        return await self.changing.change(found, settings, origin)

    async def set_entry(
        self, function: str, *, origin: str, path: str = "", line: int = 0
    ) -> Breakpoint:
        """Stop once at a function's entry, regardless of other breakpoints on it.

        ``path`` and ``line`` are its location, if known. Raises InvalidSetting.
        """
        if path:
            new = self.known.make(BreakpointKind.LINE, origin, path=path, line=line)
        else:
            new = locations.make_entry(self.known, self._session.profile, function, origin)
        return await self.changing.change(new, {"temporary": True}, origin)

    async def set_address(
        self, address: int, *, origin: str, **settings: Unpack[BreakpointSettings]
    ) -> Breakpoint:
        """Stop at an instruction, if the adapter can. Raises as ``set``."""
        refuse_settings(settings, self._session.profile.language)
        found = locations.find_or_make_instruction(self.known, address, origin)
        return await self.changing.change(found, settings, origin)

    async def toggle_address(self, address: int, *, origin: str) -> Breakpoint | None:
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
        origin: str,
        access: DataAccess = DataAccess.WRITE,
        **settings: Unpack[BreakpointSettings],
    ) -> Breakpoint:
        """Stop when a value changes or is read, if the adapter can. Raises as ``set``.

        ``data`` is an expression; on native code an address is one too, with the number of bytes
        after a colon (``0x7ffe1234:4``).
        """
        from tuidbg.session.core.breakpoints.kinds.data import find_or_make

        refuse_settings(settings, self._session.profile.language)
        found = find_or_make(self.known, data, access, origin)
        if self.binding.data_so_far is not None:
            self.binding.data_so_far.ask_again(found.number)
        return await self.changing.change(found, settings, origin)

    async def set_exception(
        self, rule: ExceptionRule, *, origin: str, **settings: Unpack[BreakpointSettings]
    ) -> Breakpoint:
        """Stop at exceptions of a type, or change the rule of that type. Raises InvalidSetting."""
        refuse_settings(settings, self._session.profile.language)
        found = exceptions.find_or_make(self.known, rule, origin)
        return await self.changing.change(found, settings, origin)

    # Changing

    async def change_rule(self, number: int, rule: ExceptionRule, *, origin: str) -> Breakpoint:
        """Replace an exception breakpoint's rule. Raises BreakpointNotFound, InvalidSetting."""
        rule = exceptions.check_rule(rule)
        found = msgspec.structs.replace(self.registry.get(number), exception=rule)
        return await self.changing.change(found, {}, origin)

    async def update(
        self, number: int, *, origin: str, **settings: Unpack[BreakpointSettings]
    ) -> Breakpoint:
        """Change the given settings, keep the rest.

        Raises BreakpointNotFound, InvalidCondition, InvalidSetting.
        """
        found = self.registry.get(number)
        refuse_settings(settings, self._session.facts.language_of(found.path))
        return await self.changing.change(found, settings, origin)

    async def move(self, number: int, line: int, *, origin: str) -> Breakpoint:
        """Put it on another line of its file, with its number and all its settings."""
        found = self.registry.get(number)
        other = self.registry.find(found.path, line)
        if other is not None and other.number != number:
            await self.remove(other.number, origin=origin)
        self.publish(pending(msgspec.structs.replace(found, line=line)), origin=origin)
        await self.binding.synchronise(found.path)
        return self.registry.get(number)

    async def remove(self, number: int, *, origin: str, undo: bool = True) -> None:
        """Delete it; ``restore`` brings it back where ``undo``. Raises BreakpointNotFound."""
        await self._removal.remove([self.registry.get(number)], origin=origin, undo=undo)

    async def restore(self, *, origin: str) -> Breakpoint | None:
        """Restore the last deleted breakpoint, under its number; None if there is none."""
        return await self._removal.restore(origin=origin)

    # Several at once

    async def adopt(self, breakpoints: Sequence[Breakpoint], *, origin: str) -> None:
        """Add breakpoints of another run unchanged, under new numbers.

        Their triggers refer to the numbers they come with.
        """
        new = [self.registry.new_number() for _ in breakpoints]
        numbers = {b.number: number for b, number in zip(breakpoints, new, strict=True)}
        taken = [
            msgspec.structs.replace(
                b,
                number=number,
                uuid=b.uuid or new_uuid(),
                trigger=numbers.get(b.trigger) if b.trigger else None,
                armed=not b.trigger or b.trigger not in numbers,
            )
            for b, number in zip(breakpoints, new, strict=True)
        ]
        self.publish_all(taken, origin=origin)
        await self.synchronise_many(taken)

    async def enable_all(self, enabled: bool, *, origin: str) -> None:
        await self.changing.enable(list(self.registry), enabled, origin)

    async def enable_group(self, group: str, enabled: bool, *, origin: str) -> None:
        await self.changing.enable(self.registry.of_group(group), enabled, origin)

    async def remove_group(self, group: str, *, origin: str) -> None:
        """Delete the breakpoints of a group; ``restore`` brings them back one by one."""
        await self._removal.remove(self.registry.of_group(group), origin=origin)

    @property
    def muted(self) -> bool:
        """While set, nothing stops, counts or logs; ``mute`` also publishes and sends it."""
        return self.known.muted

    @muted.setter
    def muted(self, muted: bool) -> None:
        self.known.muted = muted

    async def mute(self, muted: bool, *, origin: str) -> None:
        """Mute or unmute all breakpoints: nothing stops, counts or logs; the marks stay."""
        if muted != self.muted:
            self.muted = muted
            self._session.publish(BreakpointsMuted(muted=muted), origin)
            await self.synchronise_all()
            await self._session.exceptions.synchronise()

    @property
    def exception_filters(self) -> frozenset[str]:
        """Return the moments at which any exception stops."""
        return self._session.exceptions.filters

    async def stop_at_exceptions(self, moments: frozenset[str], *, origin: str) -> None:
        """Stop at any exception at these moments (``kinds.exceptions.MOMENTS``)."""
        await self._session.exceptions.stop_at(moments, origin=origin)

    @property
    def seen_exceptions(self) -> Collection[str]:
        """Return the types raised in this run, as far as observed."""
        return self._session.exceptions.seen

    # Temporary stops

    async def set_temporary(self, path: str, line: int) -> str:
        """Stop once at a line, without an entry in the list; return why not, or an empty string."""
        return await self.binding.set_temporary(path, line)

    def plan_temporary(self, path: str, line: int) -> None:
        """Stop once at a line, sent to the adapter with the next list of that file."""
        self.binding.temporary.lines[path] = line

    def plan_entry(self, names: Sequence[str]) -> None:
        """Stop once at the first of these functions, sent with the other ones; none: don't."""
        self.binding.temporary.functions = tuple(names)

    @property
    def has_temporary(self) -> bool:
        """True while a temporary breakpoint is set."""
        return bool(self.binding.temporary)

    async def clear_temporary(self) -> None:
        await self.binding.clear_temporary()

    # The program and its adapter

    def numbers_of(self, adapter_ids: Iterable[int]) -> tuple[int, ...]:
        """Return our numbers of the adapter's ids; temporary breakpoints have none."""
        numbers = self.binding.numbers
        return tuple(dict.fromkeys(n for i in adapter_ids for n in numbers.get(i, ())))

    def hit_temporary(self, adapter_ids: Iterable[int]) -> bool:
        """True if the temporary breakpoint is among those that were hit."""
        return self.binding.temporary.is_hit(adapter_ids)

    def end_temporary(self, hit: Sequence[int]) -> None:
        """End the temporary breakpoints among those hit."""
        self._removal.end_temporary(hit)

    def take_left(self, adapter_ids: Sequence[int]) -> str:
        """Return that a watched local is gone, if the program is stopped because of that."""
        data = self.binding.data_so_far
        return data.take_left(adapter_ids) if data is not None else ""

    def look_again(self, frames: Sequence[Frame]) -> None:
        """Retry at this stop the breakpoints that could not be set before."""
        if self.binding.data_so_far is not None:
            self.binding.data_so_far.look_again(frames)

    def adapter_changed(self, reason: str, reported: AdapterBreakpoint) -> None:
        """Handle a DAP ``breakpoint`` event: bound or unbound later; a removal is always shown."""
        self.binding.adapter_changed(reason, reported)

    def take_counts(self, report: ProbeReport) -> None:
        """Merge the probe's counts; those of several processes are summed."""
        self._counts.take(report)

    def note_failure(self, number: int, sentence: str) -> None:
        """Record that a condition failed, the reason for the next stop (``take_failure``)."""
        self._counts.note_failure(number, sentence)

    def take_failure(self, hit: Iterable[int]) -> str:
        """Return that a condition raised, if the program stopped for that; reported once."""
        return self._counts.take_failure(hit)

    @property
    def unloaded_files(self) -> Collection[str]:
        """Return the files with breakpoints that wait until the program imports them."""
        return self.binding.loading.unloaded_files()

    def sends_condition(self, found: Breakpoint) -> bool:
        """True if the adapter was asked to evaluate its condition; else the session has to."""
        return self.binding.sends_condition(found)

    async def put_counters(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Let the probe count the hits of these, on which it decides by other means."""
        await self.binding.probing.put_counters(breakpoints)

    def adapter_lost(self) -> None:
        """Drop the adapter's results: the adapter is gone."""
        self.binding.adapter_lost()
        self.publish_all(
            [pending(b) for b in self.registry if b.status is BreakpointStatus.SET],
            origin="session",
        )

    def prepare_launch(self) -> None:
        """Prepare a new run: refused breakpoints may break now; counts restart."""
        self._counts.forget()
        fresh = [(b, self._following.unhit(b)) for b in self.registry]
        self.publish_all([new for old, new in fresh if new != old], origin="session")

    # Edits

    @property
    def anchors(self) -> LineAnchors:
        """Return the anchors, which find the lines of breakpoints again."""
        return self._following.anchors

    @anchors.setter
    def anchors(self, anchors: LineAnchors) -> None:
        self._following.anchors = anchors

    async def source_changed(self, path: str) -> None:
        """Move each breakpoint of an edited file with its line of code, or show it as lost."""
        await self._following.source_changed(path)

    async def follow_edits(self) -> None:
        """Check the files with breakpoints for edits since the last check."""
        await self._following.follow_edits()

    # Sending and publishing

    async def reconsider_all(self) -> None:
        """Retry everything: other sources are skipped now, so refused ones may break."""
        again = [self._following.asked_again(b) for b in self.registry]
        changed = [b for b in again if b != self.registry.get(b.number)]
        self.publish_all(changed, origin="session")
        await self.synchronise_all()
        await self._session.exceptions.synchronise()  # which frames count is fixed when sent

    async def synchronise_all(self) -> None:
        """Send everything, as after the handshake."""
        await self.binding.synchronise_all()

    async def synchronise_many(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Send the lists of these new, changed or deleted breakpoints."""
        await self.binding.synchronise_many(breakpoints)

    def publish(self, breakpoint: Breakpoint, *, origin: str) -> None:
        """Keep it and publish the change."""
        self.known.publish(breakpoint, origin=origin)

    def publish_all(self, breakpoints: Sequence[Breakpoint], *, origin: str) -> None:
        """Keep them and publish the change, in one event."""
        self.known.publish_all(breakpoints, origin=origin)
