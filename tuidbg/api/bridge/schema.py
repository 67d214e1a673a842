"""Reads a call of the bridge: its fields, and what is said of one that makes no sense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec

from tuidbg.session.errors import DebuggerError


class CommandRefused(DebuggerError):
    """A call that can't be served as it is; ``str()`` says why.

    ``reason`` adds in other words what a fixed text leaves out.
    """

    def __init__(self, sentence: str, reason: str = "") -> None:
        super().__init__(sentence)
        self.reason = reason


_Number = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]


class Command(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One call. A field that an action does not use may be there and is passed over."""

    action: str
    file: str | None = None
    line: _Number | None = None
    expression: str | None = None
    variables_reference: _Number | None = None
    thread_id: _Number | None = None

    @property
    def text(self) -> str:
        """Returns what it asks, in one line."""
        given = msgspec.to_builtins(self)
        return " ".join(
            f"{name}={value}"
            for name, value in given.items()
            if value is not None and name != "action"
        )


_OTHER_SPELLINGS = {"variables_reference": "variablesReference", "thread_id": "threadId"}
"""The document says one, programs that were written for its server send the other: both do."""


def read_command(body: bytes, actions: Mapping[str, Sequence[str]]) -> Command:
    """The call that a body holds; ``actions`` are the fields that each of them needs.

    Raises CommandRefused."""
    try:
        given = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise CommandRefused("the body is no JSON") from None
    if not isinstance(given, dict):
        raise CommandRefused("the body must be one JSON object")
    if given.get("action") is None:
        raise CommandRefused(f"action is missing; it is one of {', '.join(actions)}")
    try:
        command = msgspec.convert(_with_one_spelling(given), Command)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        field = where.rstrip("`")
        raise CommandRefused(f"{field}: {what.lower()}" if field else what) from None
    if command.action not in actions:
        name = command.action[:40]
        raise CommandRefused(f"there is no action {name!r}; it is one of {', '.join(actions)}")
    _check_fields(command, actions[command.action])
    return command


def _with_one_spelling(given: dict[str, Any]) -> dict[str, Any]:
    found = dict(given)
    for other, name in _OTHER_SPELLINGS.items():
        if other in found:
            value = found.pop(other)
            found.setdefault(name, value)
    return found


def _check_fields(command: Command, needs: Sequence[str]) -> None:
    values = msgspec.to_builtins(command)
    for name in needs:
        value = values.get(name)
        if value is None or (isinstance(value, str) and not value.strip()):
            raise CommandRefused(f"{command.action} needs {name}")
