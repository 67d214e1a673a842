"""Saved breakpoints: those the user has set are restored in the next session.

``restore`` puts the saved ones into a session before its program is launched, each on its own line
of code. From then on every change is saved at once: it is read from the event log, and written in a
thread, so that a slow disk blocks nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.config.stores.breakpoint_store import ProjectStore, SavedBreakpoint, StoreError
from tuidbg.session.core.breakpoints.store import BreakpointSettings, check_settings, told
from tuidbg.session.model.events import BreakpointsChanged, EventsLost
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    DataAccess,
    ExceptionRule,
    OnError,
)

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


_SAME_NAMES = (
    *("uuid", "line", "column", "function", "address", "data", "enabled", "condition"),
    *("hit_condition", "ignore_count", "log_message", "trace", "every", "at_most", "commands"),
    *("group", "ranks", "origin"),
)
"""The fields that a breakpoint and its saved form share unchanged."""

_KEPT_NAMES = (
    *_SAME_NAMES,
    *("path", "kind", "access", "exception", "on_error", "trigger", "temporary"),
)

_RULE_DEFAULTS = msgspec.structs.asdict(ExceptionRule())


class Persistence:
    """The storage of a session's breakpoints in its project."""

    def __init__(self, session: Session, store: ProjectStore) -> None:
        self._session = session
        self._store = store
        self._anchors = session.breakpoints.anchors
        self._unreadable: list[SavedBreakpoint] = []
        self._known: dict[int, tuple[Any, ...]] = {}
        self._changed = asyncio.Event()
        self._is_closing = False
        self._problem = ""
        self._tasks: list[asyncio.Task[None]] = []

    async def restore(self) -> None:
        """Put the saved breakpoints into the session, and save its changes from now on."""
        if self._store.exists:
            found, problem = await asyncio.to_thread(self._load)
            if problem:
                self._session.notify(problem, "warning")
            if found:
                await self._session.breakpoints.adopt(found, origin="session")
        after = self._session.events.last_seq
        self._note_known()
        self._tasks = [
            asyncio.create_task(self._follow(after)),
            asyncio.create_task(self._save_changes()),
        ]
        self._changed.set()  # some may be on other lines now

    async def close(self) -> str:
        """Save the remaining changes and stop saving; return a sentence if that failed."""
        if not self._tasks:
            return ""
        follower, saver = self._tasks
        self._tasks = []
        follower.cancel()
        self._is_closing = True
        self._changed.set()
        await asyncio.wait((follower, saver))
        return self._problem

    # From the store into the session

    def _load(self) -> tuple[list[Breakpoint], str]:
        saved, problem = self._store.load()
        found: list[tuple[Breakpoint, str]] = []
        known = {breakpoint.uuid for breakpoint in self._session.breakpoints.registry}
        for each in saved:
            if each.uuid in known:
                continue
            try:
                found.append((self._revive(each), each.trigger))
            except (msgspec.ValidationError, ValueError):
                self._unreadable.append(each)
        numbers = {breakpoint.uuid: number for number, (breakpoint, _) in enumerate(found, 1)}
        return [_numbered(breakpoint, trigger, numbers) for breakpoint, trigger in found], problem

    def _revive(self, saved: SavedBreakpoint) -> Breakpoint:
        revived = Breakpoint(
            number=0,
            path=saved.path,
            kind=BreakpointKind(saved.kind),
            exception=msgspec.convert(saved.exception, ExceptionRule | None),
            access=DataAccess(saved.access),
            on_error=OnError(saved.on_error),
            **{name: getattr(saved, name) for name in _SAME_NAMES},
        )
        revived = self._anchors.restore(revived, saved.anchor)
        settings: BreakpointSettings = {
            "condition": saved.condition,
            "hit_condition": saved.hit_condition,
            "log_message": saved.log_message,
            "commands": saved.commands,
        }
        language = self._session.facts.language_of(saved.path)
        for sentence in check_settings(settings, language).values():
            revived = told(revived, BreakpointStatus.REFUSED, sentence)
        return revived

    # From the session into the store

    async def _follow(self, after: int) -> None:
        async for entry in self._session.events.follow(after):
            match entry.event:
                case BreakpointsChanged(changed=changed, removed=removed):
                    if self._concerns(changed, removed):
                        self._changed.set()
                case EventsLost():
                    self._note_known()
                    self._changed.set()

    def _concerns(self, changed: Sequence[Breakpoint], removed: Iterable[int]) -> bool:
        """True if the change affects saved fields; hits and adapter replies don't."""
        gone = [number for number in removed if self._known.pop(number, None) is not None]
        different = [b for b in changed if self._known.get(b.number) != _kept(b)]
        for breakpoint in different:
            self._known[breakpoint.number] = _kept(breakpoint)
        return bool(gone or different)

    def _note_known(self) -> None:
        self._known = {b.number: _kept(b) for b in self._session.breakpoints.registry}

    async def _save_changes(self) -> None:
        is_last = False
        while not is_last:
            await self._changed.wait()
            self._changed.clear()
            is_last = self._is_closing
            await self._save()

    async def _save(self) -> None:
        breakpoints = list(self._session.breakpoints.registry)
        try:
            problem = await asyncio.to_thread(self._write, breakpoints)
        except StoreError as error:
            problem = str(error)
        if problem and problem != self._problem and not self._is_closing:
            self._session.notify(problem, "warning")
        self._problem = problem

    def _write(self, breakpoints: Sequence[Breakpoint]) -> str:
        uuids = {b.number: b.uuid for b in breakpoints}
        saved = [self._to_saved(b, uuids) for b in breakpoints if is_saved(b)]
        return self._store.save([*saved, *self._unreadable])

    def _to_saved(self, breakpoint: Breakpoint, uuids: Mapping[int, str]) -> SavedBreakpoint:
        is_line = breakpoint.kind is BreakpointKind.LINE
        fields = {name: getattr(breakpoint, name) for name in _SAME_NAMES}
        fields["line"] = breakpoint.line if is_line else 0
        return SavedBreakpoint(
            kind=breakpoint.kind.value,
            path=breakpoint.path if is_line else "",
            exception=_without_defaults(breakpoint.exception),
            access=breakpoint.access.value,
            on_error=breakpoint.on_error.value,
            trigger=uuids.get(breakpoint.trigger or 0, ""),
            anchor=self._anchors.fields(breakpoint),
            **fields,
        )


def is_saved(breakpoint: Breakpoint) -> bool:
    """True if it is kept for the next run: not if requested for this run only."""
    return not breakpoint.temporary and breakpoint.origin != "cli" and bool(breakpoint.uuid)


def _numbered(breakpoint: Breakpoint, trigger: str, numbers: Mapping[str, int]) -> Breakpoint:
    """Return it with a number among the restored ones, and with its trigger's number."""
    number = numbers.get(trigger)
    return msgspec.structs.replace(
        breakpoint, number=numbers[breakpoint.uuid], trigger=number, armed=number is None
    )


def _kept(breakpoint: Breakpoint) -> tuple[Any, ...]:
    return tuple(getattr(breakpoint, name) for name in _KEPT_NAMES)


def _without_defaults(rule: ExceptionRule | None) -> dict[str, Any] | None:
    if rule is None:
        return None
    fields = msgspec.structs.asdict(rule)
    changed = {name: value for name, value in fields.items() if value != _RULE_DEFAULTS[name]}
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in changed.items()
    }
