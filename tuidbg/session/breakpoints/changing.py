"""Changes the settings of a breakpoint, and which other one it waits for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from tuidbg.session.breakpoints.binding.binding import Binding
from tuidbg.session.breakpoints.following import EditFollowing
from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.options import BreakpointSettings, tidy_settings
from tuidbg.session.breakpoints.outcomes import pending
from tuidbg.session.breakpoints.registry import BreakpointRegistry
from tuidbg.session.errors import InvalidSetting
from tuidbg.session.state import Breakpoint, BreakpointStatus


class Changing:
    """Gives the breakpoints of one session other settings."""

    def __init__(
        self,
        known: KnownBreakpoints,
        binding: Binding,
        following: EditFollowing,
        removed: Callable[[Sequence[Breakpoint]], None],
        corrected: Callable[[int], None],
    ) -> None:
        """``removed`` is told of those that were deleted, before that is sent.

        ``corrected`` is told the number of one that has another condition.
        """
        self._known = known
        self._binding = binding
        self._following = following
        self.switched_off: frozenset[int] = frozenset()
        """Numbers of those that were disabled with others, in one go: in one go they come back."""
        self._removed = removed
        self._corrected = corrected

    async def change(
        self, found: Breakpoint, settings: BreakpointSettings, origin: str
    ) -> Breakpoint:
        """Keep it with these settings, tell, and send it; as it is after the answer.

        Raises BreakpointNotFound for a trigger that is none, InvalidSetting for one in a circle.
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
        """The same for many, and delete those that are ``gone``, in one go.

        Each that is wanted is one of ``known`` or newly made there. Raises as ``change``.
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
        """The process has told which rank it is: what was set for some ranks may be for it."""
        if rank != self._known.rank:
            self._known.rank = rank
            await self._binding.synchronise_many([b for b in self._known.registry if b.ranks])

    async def rename(self, found: Breakpoint, function: str, origin: str) -> Breakpoint:
        """Stop at another function, with its number and all its settings.

        Another breakpoint of that function gives way. ``function`` is as the profile names it.
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
        """Enable or disable these, in one go.

        Where some of them were disabled so, those are enabled and no others: what a person has
        disabled by itself stays so.
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
