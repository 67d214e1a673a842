"""The breakpoints of a session by number, their options and their results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypedDict

import msgspec

from tuidbg.adapters.languages import Language
from tuidbg.config.files import file_stamp
from tuidbg.session.breakpoints.predicates import check_condition, read_hit_condition
from tuidbg.session.core import Tells
from tuidbg.session.errors import BreakpointNotFound, InvalidCondition, InvalidSetting
from tuidbg.session.events import BreakpointsChanged
from tuidbg.session.hits.log_messages import check_log_message
from tuidbg.session.state import Breakpoint, BreakpointKind, BreakpointStatus, OnError


class BreakpointSettings(TypedDict, total=False):
    """The fields of ``Breakpoint`` that a person sets; those left out keep their value."""

    enabled: bool
    condition: str
    hit_condition: str
    ignore_count: int
    log_message: str
    trace: bool
    every: int
    at_most: int
    trigger: int | None
    temporary: bool
    commands: tuple[str, ...]
    on_error: OnError
    group: str
    column: int | None
    ranks: tuple[int, ...]


def check_settings(settings: BreakpointSettings, language: Language) -> dict[str, str]:
    """A sentence for each field that can't be taken; nothing where all can.

    ``language`` is that of the expressions.
    """
    problems: dict[str, str] = {}
    for name, value in settings.items():
        check = _CHECKS.get(name)
        if check is None:
            continue
        try:
            check(value, language)
        except (InvalidCondition, ValueError) as error:
            problems[name] = str(error)
    return problems


def refuse_settings(settings: BreakpointSettings, language: Language) -> None:
    """Raises InvalidCondition for a condition, InvalidSetting for another field."""
    for name, sentence in check_settings(settings, language).items():
        if name == "condition":
            raise InvalidCondition(sentence)
        raise InvalidSetting(name, sentence)


def tidy_settings(settings: BreakpointSettings) -> dict[str, Any]:
    """The same without blanks around what somebody typed."""
    tidy: dict[str, Any] = dict(settings)
    for name in ("condition", "hit_condition", "group"):
        if name in tidy:
            tidy[name] = tidy[name].strip()
    if "commands" in tidy:
        tidy["commands"] = tuple(c.strip() for c in tidy["commands"] if c.strip())
    return tidy


def _check_not_negative(value: int, _: Language) -> None:
    if value < 0:
        raise ValueError("it can't be negative")


def _check_column(value: int | None, _: Language) -> None:
    if value is not None and value < 1:
        raise ValueError("columns count from 1")


def _check_hit_condition(value: str, _: Language) -> None:
    read_hit_condition(value)


def _check_commands(value: tuple[str, ...], language: Language) -> None:
    for expression in value:
        try:
            check_condition(expression, language)
        except InvalidCondition as error:
            raise ValueError(f"{expression}: {error}") from None


_CHECKS: Mapping[str, Callable[[Any, Language], None]] = {
    "condition": check_condition,
    "hit_condition": _check_hit_condition,
    "ignore_count": _check_not_negative,
    "every": _check_not_negative,
    "at_most": _check_not_negative,
    "column": _check_column,
    "log_message": check_log_message,
    "commands": _check_commands,
}


class BreakpointRegistry:
    """The breakpoints of one session by number; numbers count from 1 and are never used again."""

    def __init__(self) -> None:
        self._by_number: dict[int, Breakpoint] = {}
        self._by_file: dict[str, dict[int, Breakpoint]] = {}
        self._last = 0

    def __iter__(self) -> Iterator[Breakpoint]:
        """Lines and functions by their places, then the others by number."""
        return iter(sorted(self._by_number.values(), key=_order))

    def __len__(self) -> int:
        return len(self._by_number)

    def get(self, number: int) -> Breakpoint:
        """The breakpoint of that number. Raises BreakpointNotFound."""
        try:
            return self._by_number[number]
        except KeyError:
            raise BreakpointNotFound(number) from None

    def look_up(self, number: int) -> Breakpoint | None:
        """The breakpoint of that number, where there is one."""
        return self._by_number.get(number)

    def find(self, path: str, line: int) -> Breakpoint | None:
        """The breakpoint that was asked for at that line, or whose function begins there."""
        at_line = [b for b in self.of_file(path) if b.line == line and b.path == path]
        return min(at_line, key=lambda b: b.kind is not BreakpointKind.LINE, default=None)

    def find_line(self, path: str, line: int) -> Breakpoint | None:
        """The breakpoint that was asked for at that very line, not one of a function there."""
        found = self.find(path, line)
        return found if found is not None and found.kind is BreakpointKind.LINE else None

    def find_function(self, name: str) -> Breakpoint | None:
        """The breakpoint on that function."""
        return next((b for b in self._by_number.values() if b.function == name), None)

    def find_data(self, expression: str) -> Breakpoint | None:
        """The breakpoint that watches what an expression gives."""
        return next((b for b in self.of_kind(BreakpointKind.DATA) if b.data == expression), None)

    def find_address(self, address: int) -> Breakpoint | None:
        """The breakpoint at an instruction."""
        of_kind = self.of_kind(BreakpointKind.ADDRESS)
        return next((b for b in of_kind if b.address == address), None)

    def of_file(self, path: str) -> list[Breakpoint]:
        """The breakpoints with a place in one file, in the order of their lines."""
        found = self._by_file.get(path, {}).values()
        return sorted(found, key=lambda b: (b.line, b.number))

    def of_kind(self, kind: BreakpointKind) -> list[Breakpoint]:
        """The breakpoints of one kind by number."""
        return sorted(
            (b for b in self._by_number.values() if b.kind is kind), key=lambda b: b.number
        )

    def of_group(self, group: str) -> list[Breakpoint]:
        """The breakpoints of one group by number."""
        return sorted(
            (b for b in self._by_number.values() if b.group == group), key=lambda b: b.number
        )

    def files(self) -> list[str]:
        """The files that have breakpoints."""
        return sorted(path for path, found in self._by_file.items() if found)

    def new_number(self) -> int:
        self._last += 1
        return self._last

    def put(self, breakpoint: Breakpoint) -> None:
        """Add it, or replace the one of its number."""
        number = breakpoint.number
        self._last = max(self._last, number)
        self._take_out(number)
        self._by_number[number] = breakpoint
        for path in files_of(breakpoint):
            self._by_file.setdefault(path, {})[number] = breakpoint

    def remove(self, number: int) -> Breakpoint:
        """Take it out. Raises BreakpointNotFound."""
        found = self.get(number)
        self._take_out(number)
        return found

    def _take_out(self, number: int) -> None:
        known = self._by_number.pop(number, None)
        if known is not None:
            for path in files_of(known):
                self._by_file.get(path, {}).pop(number, None)


def files_of(breakpoint: Breakpoint) -> set[str]:
    """The files in which a breakpoint has places."""
    if breakpoint.kind is BreakpointKind.LINE:
        return {breakpoint.path}
    if breakpoint.kind is BreakpointKind.FUNCTION:
        return {place.path for place in breakpoint.places if place.path}
    return set()


def lines_of(breakpoint: Breakpoint, path: str) -> list[int]:
    """The lines of one file on which a breakpoint is wanted."""
    if breakpoint.kind is BreakpointKind.FUNCTION:
        return sorted({place.line for place in breakpoint.places if place.path == path})
    return [breakpoint.line] if breakpoint.path == path else []


def _order(breakpoint: Breakpoint) -> tuple[bool, str, int, int]:
    return not breakpoint.path, breakpoint.path, breakpoint.line, breakpoint.number


NOT_IMPORTED = "waits until the program imports this file"

NOT_RENDERED = "waits until the program renders this template"

POST_MORTEM = "a core file never runs: this waits for the next program"

NEWER = "the file is newer than the program: lines may not fit; build it again"

STALE = "the file has changed since the program loaded it; restart to set it anew"

NO_ANSWER = "the debug adapter gave no answer for it"

NOT_SET = "the debug adapter could not set it"


IN_CONDITION = " (in its condition)"
"""Stands behind why a condition failed: the error comes first, as there may be no more room."""


def in_condition(why: str, number: int) -> str:
    """Returns the same where several breakpoints may be meant."""
    return f"{why} (in the condition of breakpoint {number})"


def no_code(line: int) -> str:
    """Returns why a line can't break."""
    return f"no executable code at line {line}"


def pending(breakpoint: Breakpoint, message: str = "") -> Breakpoint:
    """The same, not answered yet; ``message`` says what it waits for."""
    return msgspec.structs.replace(
        breakpoint, status=BreakpointStatus.PENDING, message=message, suggested_line=None
    )


def bound(breakpoint: Breakpoint, message: str = "") -> Breakpoint:
    """The same, set; ``message`` is a remark."""
    return msgspec.structs.replace(
        breakpoint, status=BreakpointStatus.SET, message=message, suggested_line=None
    )


def refused(breakpoint: Breakpoint, message: str, suggested: int | None = None) -> Breakpoint:
    """The same, refused, and why; ``suggested`` is the line where it could go."""
    return msgspec.structs.replace(
        breakpoint,
        status=BreakpointStatus.REFUSED,
        message=message,
        suggested_line=suggested,
    )


def switched_off(breakpoint: Breakpoint) -> Breakpoint:
    """The same after it has told as often as it was allowed to."""
    message = f"told {breakpoint.at_most} times, and switched itself off"
    return msgspec.structs.replace(breakpoint, enabled=False, message=message)


def told(breakpoint: Breakpoint, status: BreakpointStatus, message: str) -> Breakpoint:
    """The same with that answer; a line that was suggested stays so."""
    return msgspec.structs.replace(breakpoint, status=status, message=message)


class KnownBreakpoints:
    """The registry of one session, whose changes are published."""

    def __init__(self, session: Tells) -> None:
        self._session = session
        self.registry = BreakpointRegistry()
        self.muted = False
        """While it is set nothing stops, counts or logs, and nothing is sent."""
        self.rank: int | None = None
        """The rank that the process has in its job, as soon as it is known."""
        self.stamps: dict[str, tuple[int, int] | None] = {}
        """The stamps of files as their lines are meant."""

    def is_wanted(self, breakpoint: Breakpoint) -> bool:
        """Tell whether it is to be there in this process, as things stand."""
        is_meant = not breakpoint.ranks or self.rank in breakpoint.ranks
        return breakpoint.enabled and is_meant and not self.muted

    def make(self, kind: BreakpointKind, origin: str, **where: Any) -> Breakpoint:
        """A new one, which nobody knows of yet."""
        number = self.registry.new_number()
        return Breakpoint(number=number, uuid=new_uuid(), kind=kind, origin=origin, **where)

    def publish(self, breakpoint: Breakpoint, *, origin: str) -> None:
        """Keep it and tell."""
        self.publish_all([breakpoint], origin=origin)

    def publish_all(self, breakpoints: Sequence[Breakpoint], *, origin: str) -> None:
        """Keep them and tell, in one event."""
        for each in breakpoints:
            self.registry.put(each)
            if each.path and each.path not in self.stamps:
                self.stamps[each.path] = file_stamp(each.path)
        if breakpoints:
            self._session.publish(BreakpointsChanged(changed=tuple(breakpoints)), origin)

    def remove_all(self, gone: Sequence[Breakpoint], *, origin: str) -> None:
        """Forget them and tell, in one event."""
        for each in gone:
            self.registry.remove(each.number)
        numbers = tuple(each.number for each in gone)
        self._session.publish(BreakpointsChanged(removed=numbers), origin)


def new_uuid() -> str:
    """An identifier that no other breakpoint has; made here, as importing ``uuid`` takes time."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"
