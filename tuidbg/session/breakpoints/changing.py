"""Changes the settings of a breakpoint, and which other one it waits for."""

from __future__ import annotations

import msgspec

from tuidbg.session.breakpoints.binding.binding import Binding
from tuidbg.session.breakpoints.following import EditFollowing
from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.options import BreakpointSettings, tidy_settings
from tuidbg.session.breakpoints.registry import BreakpointRegistry
from tuidbg.session.errors import InvalidSetting
from tuidbg.session.state import Breakpoint


class Changing:
    """Gives the breakpoints of one session other settings."""

    def __init__(self, known: KnownBreakpoints, binding: Binding, following: EditFollowing) -> None:
        self._known = known
        self._binding = binding
        self._following = following

    async def change(
        self, found: Breakpoint, settings: BreakpointSettings, origin: str
    ) -> Breakpoint:
        """Keep it with these settings, tell, and send it; as it is after the answer.

        Raises BreakpointNotFound for a trigger that is none, InvalidSetting for one in a circle.
        """
        registry = self._known.registry
        self._binding.probing.note_settings(registry.look_up(found.number), settings)
        changed = msgspec.structs.replace(
            self._following.asked_again(found), **tidy_settings(settings)
        )
        if found.origin == "cli" and origin == "tui":
            changed = msgspec.structs.replace(changed, origin=origin)  # worth keeping now
        if "ignore_count" in settings:
            changed = msgspec.structs.replace(changed, ignore_from=found.hits)
        _check_trigger(registry, changed)
        if changed.trigger != found.trigger:
            changed = msgspec.structs.replace(changed, armed=changed.trigger is None)
        self._known.publish(changed, origin=origin)
        await self._binding.synchronise_one(changed)
        return registry.look_up(changed.number) or changed

    async def enable(self, wanted: list[Breakpoint], enabled: bool, origin: str) -> None:
        """Enable or disable these, in one go."""
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
