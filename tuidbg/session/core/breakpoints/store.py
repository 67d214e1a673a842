"""The breakpoints of a session by number, their options and their results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec

from tuidbg.adapters.languages import Language
from tuidbg.config.files import file_stamp
from tuidbg.session.core.breakpoints.predicates import check_condition, read_hit_condition
from tuidbg.session.core.hits.log_messages import check_log_message
from tuidbg.session.model.errors import BreakpointNotFound, InvalidCondition, InvalidSetting
from tuidbg.session.model.events import BreakpointsChanged
from tuidbg.session.model.state import Breakpoint, BreakpointKind, BreakpointStatus, OnError

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


class BreakpointSettings(TypedDict, total=False):
    """The ``Breakpoint`` fields that a user sets; omitted ones keep their value."""

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
    """Return a sentence for each invalid field; empty if all are valid.

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
    """Raise InvalidCondition for a condition, InvalidSetting for another field."""
    for name, sentence in check_settings(settings, language).items():
        if name == "condition":
            raise InvalidCondition(sentence)
        raise InvalidSetting(name, sentence)


def tidy_settings(settings: BreakpointSettings) -> dict[str, Any]:
    """Return the settings without blanks around typed text."""
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
    """The breakpoints of one session by number; numbers count from 1 and are never reused."""

    def __init__(self) -> None:
        self._by_number: dict[int, Breakpoint] = {}
        self._by_file: dict[str, dict[int, Breakpoint]] = {}
        self._last = 0

    def __iter__(self) -> Iterator[Breakpoint]:
        """Iterate lines and functions by their places, then the others by number."""
        return iter(sorted(self._by_number.values(), key=_order))

    def __len__(self) -> int:
        return len(self._by_number)

    def get(self, number: int) -> Breakpoint:
        """Return the breakpoint of that number. Raises BreakpointNotFound."""
        try:
            return self._by_number[number]
        except KeyError:
            raise BreakpointNotFound(number) from None

    def look_up(self, number: int) -> Breakpoint | None:
        return self._by_number.get(number)

    def find(self, path: str, line: int) -> Breakpoint | None:
        """Return the breakpoint requested at that line, or on the function that begins there."""
        at_line = [b for b in self.of_file(path) if b.line == line and b.path == path]
        return min(at_line, key=lambda b: b.kind is not BreakpointKind.LINE, default=None)

    def find_line(self, path: str, line: int) -> Breakpoint | None:
        """Return the breakpoint requested at that very line, not one on a function there."""
        found = self.find(path, line)
        return found if found is not None and found.kind is BreakpointKind.LINE else None

    def find_function(self, name: str) -> Breakpoint | None:
        return next((b for b in self._by_number.values() if b.function == name), None)

    def find_data(self, expression: str) -> Breakpoint | None:
        """Return the breakpoint that watches an expression's value."""
        return next((b for b in self.of_kind(BreakpointKind.DATA) if b.data == expression), None)

    def find_address(self, address: int) -> Breakpoint | None:
        of_kind = self.of_kind(BreakpointKind.ADDRESS)
        return next((b for b in of_kind if b.address == address), None)

    def of_file(self, path: str) -> list[Breakpoint]:
        """Return the breakpoints with a place in one file, in the order of their lines."""
        found = self._by_file.get(path, {}).values()
        return sorted(found, key=lambda b: (b.line, b.number))

    def of_kind(self, kind: BreakpointKind) -> list[Breakpoint]:
        """Return the breakpoints of one kind by number."""
        return sorted(
            (b for b in self._by_number.values() if b.kind is kind), key=lambda b: b.number
        )

    def of_group(self, group: str) -> list[Breakpoint]:
        """Return the breakpoints of one group by number."""
        return sorted(
            (b for b in self._by_number.values() if b.group == group), key=lambda b: b.number
        )

    def files(self) -> list[str]:
        """Return the files that have breakpoints."""
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
        """Remove it. Raises BreakpointNotFound."""
        found = self.get(number)
        self._take_out(number)
        return found

    def _take_out(self, number: int) -> None:
        known = self._by_number.pop(number, None)
        if known is not None:
            for path in files_of(known):
                self._by_file.get(path, {}).pop(number, None)


def files_of(breakpoint: Breakpoint) -> set[str]:
    """Return the files in which a breakpoint has places."""
    if breakpoint.kind is BreakpointKind.LINE:
        return {breakpoint.path}
    if breakpoint.kind is BreakpointKind.FUNCTION:
        return {place.path for place in breakpoint.places if place.path}
    return set()


def lines_of(breakpoint: Breakpoint, path: str) -> list[int]:
    """Return the lines of one file on which a breakpoint is requested."""
    if breakpoint.kind is BreakpointKind.FUNCTION:
        return sorted({place.line for place in breakpoint.places if place.path == path})
    return [breakpoint.line] if breakpoint.path == path else []


def _order(breakpoint: Breakpoint) -> tuple[bool, str, int, int]:
    return not breakpoint.path, breakpoint.path, breakpoint.line, breakpoint.number


NOT_IMPORTED = "waits until the program imports this file"

NOT_RENDERED = "waits until the program renders this template"

POST_MORTEM = "a core file never runs: this waits for the next program"

NEWER = "the file is newer than the program: lines may not fit; build it again"

STALE = "the file has changed since the program loaded it; restart to set it again"

NO_ANSWER = "the debug adapter gave no answer for it"

NOT_SET = "the debug adapter could not set it"


IN_CONDITION = " (in its condition)"
"""Follows the reason why a condition failed: the error comes first, as space may be short."""


def in_condition(why: str, number: int) -> str:
    """Return the same with a number, where several breakpoints are possible."""
    return f"{why} (in the condition of breakpoint {number})"


def no_code(line: int) -> str:
    """Return why a line can't break."""
    return f"no executable code at line {line}"


def pending(breakpoint: Breakpoint, message: str = "") -> Breakpoint:
    """Return it without a result yet; ``message`` is the event it waits for."""
    return msgspec.structs.replace(
        breakpoint, status=BreakpointStatus.PENDING, message=message, suggested_line=None
    )


def bound(breakpoint: Breakpoint, message: str = "") -> Breakpoint:
    """Return it as set; ``message`` is a remark."""
    return msgspec.structs.replace(
        breakpoint, status=BreakpointStatus.SET, message=message, suggested_line=None
    )


def refused(breakpoint: Breakpoint, message: str, suggested: int | None = None) -> Breakpoint:
    """Return it as refused, with the reason; ``suggested`` is a line where it could go."""
    return msgspec.structs.replace(
        breakpoint,
        status=BreakpointStatus.REFUSED,
        message=message,
        suggested_line=suggested,
    )


def switched_off(breakpoint: Breakpoint) -> Breakpoint:
    """Return it disabled after its last allowed message."""
    message = f"told {breakpoint.at_most} times, and switched itself off"
    return msgspec.structs.replace(breakpoint, enabled=False, message=message)


def told(breakpoint: Breakpoint, status: BreakpointStatus, message: str) -> Breakpoint:
    """Return it with that result; a suggested line stays."""
    return msgspec.structs.replace(breakpoint, status=status, message=message)


class KnownBreakpoints:
    """The registry of one session, whose changes are published."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.registry = BreakpointRegistry()
        self.muted = False
        """While set, nothing stops, counts or logs, and nothing is sent."""
        self.rank: int | None = None
        """The process's rank in its job, once known."""
        self.stamps: dict[str, tuple[int, int] | None] = {}
        """The stamps of the files that the line numbers refer to."""

    def is_wanted(self, breakpoint: Breakpoint) -> bool:
        """True if it should currently be set in this process."""
        is_meant = not breakpoint.ranks or self.rank in breakpoint.ranks
        return breakpoint.enabled and is_meant and not self.muted

    def make(self, kind: BreakpointKind, origin: str, **where: Any) -> Breakpoint:
        """Make a new one, not yet published."""
        number = self.registry.new_number()
        return Breakpoint(number=number, uuid=new_uuid(), kind=kind, origin=origin, **where)

    def publish(self, breakpoint: Breakpoint, *, origin: str) -> None:
        """Keep it and publish the change."""
        self.publish_all([breakpoint], origin=origin)

    def publish_all(self, breakpoints: Sequence[Breakpoint], *, origin: str) -> None:
        """Keep them and publish the change, in one event."""
        for each in breakpoints:
            self.registry.put(each)
            if each.path and each.path not in self.stamps:
                self.stamps[each.path] = file_stamp(each.path)
        if breakpoints:
            self._session.publish(BreakpointsChanged(changed=tuple(breakpoints)), origin)

    def remove_all(self, gone: Sequence[Breakpoint], *, origin: str) -> None:
        """Remove them and publish the change, in one event."""
        for each in gone:
            self.registry.remove(each.number)
        numbers = tuple(each.number for each in gone)
        self._session.publish(BreakpointsChanged(removed=numbers), origin)


def new_uuid() -> str:
    """Return a unique identifier; made here, as importing ``uuid`` takes time."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"
