"""Defines the bridge's actions, what each takes and answers, and how a call is read.

``ACTIONS`` is the one list: the router serves what stands there, and ``document_actions`` writes
the table of the manual from it.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from tuidbg.api.gate.caller import Scope
from tuidbg.session.errors import DebuggerError


class Action(msgspec.Struct, frozen=True):
    """One action: what its token must allow, which fields it needs, what it answers besides ok."""

    scope: Scope
    needs: tuple[str, ...]
    answers: str
    manages: bool = False
    """Only with ``--manage-bridge``."""


ACTIONS: dict[str, Action] = {
    "stacktrace": Action(Scope.READ, (), "stacktrace: [{frame_index, function, file, line}]"),
    "threads": Action(Scope.READ, (), "threads: [{id, name, selected}]"),
    "locals": Action(Scope.READ, (), "locals: [{name, type, value, variablesReference}]"),
    "scopes": Action(Scope.READ, (), "scopes: [{name, variablesReference}]"),
    "variables": Action(
        Scope.READ,
        (),
        "variables: [{name, type, value, variablesReference}] of variablesReference, or the locals",
    ),
    "continue": Action(Scope.CONTROL, (), "status, stop: {reason, description, thread_id}"),
    "next": Action(Scope.CONTROL, (), "status, stop: {reason, description, thread_id}"),
    "step_in": Action(Scope.CONTROL, (), "status, stop: {reason, description, thread_id}"),
    "disconnect": Action(Scope.CONTROL, (), ""),
    "set_breakpoint": Action(Scope.CONTROL, ("file", "line"), "breakpoint_id"),
    "evaluate": Action(Scope.EVALUATE, ("expression",), "result, type"),
    "evaluate_swift": Action(Scope.EVALUATE, ("expression",), "result, type; as evaluate"),
    "watch_expr": Action(Scope.EVALUATE, ("expression",), "watch: [{expression, result}]"),
    "restart": Action(Scope.LAUNCH, (), "status, stop", manages=True),
    "launch": Action(Scope.LAUNCH, (), "status, stop", manages=True),
    "select_thread": Action(Scope.CONTROL, ("threadId",), "threadId"),
    "build": Action(Scope.LAUNCH, (), "exitCode, stdout, stderr"),
}
"""The 17 actions of the bridge, by their names."""


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


def read_command(body: bytes) -> Command:
    """The call that a body holds. Raises CommandRefused."""
    try:
        given = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise CommandRefused("the body is no JSON") from None
    if not isinstance(given, dict):
        raise CommandRefused("the body must be one JSON object")
    if given.get("action") is None:
        raise CommandRefused(f"action is missing; it is one of {', '.join(ACTIONS)}")
    try:
        command = msgspec.convert(_with_one_spelling(given), Command)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        field = where.rstrip("`")
        raise CommandRefused(f"{field}: {what.lower()}" if field else what) from None
    if command.action not in ACTIONS:
        name = command.action[:40]
        raise CommandRefused(f"there is no action {name!r}; it is one of {', '.join(ACTIONS)}")
    _check_fields(command)
    return command


def _with_one_spelling(given: dict[str, Any]) -> dict[str, Any]:
    found = dict(given)
    for other, name in _OTHER_SPELLINGS.items():
        if other in found:
            value = found.pop(other)
            found.setdefault(name, value)
    return found


def _check_fields(command: Command) -> None:
    values = msgspec.to_builtins(command)
    for name in ACTIONS[command.action].needs:
        value = values.get(name)
        if value is None or (isinstance(value, str) and not value.strip()):
            raise CommandRefused(f"{command.action} needs {name}")


def document_actions() -> str:
    """The table of the actions for the manual, in Markdown."""
    rows = ["| Action | Needs | Answers, beside `ok` | Scope |", "|---|---|---|---|"]
    for name, action in ACTIONS.items():
        needs = ", ".join(f"`{field}`" for field in action.needs)
        if action.manages:
            needs = "`--manage-bridge`"
        elif name == "build":
            needs = "`--build-cmd`"
        answers = f"`{action.answers}`" if action.answers else ""
        rows.append(f"| `{name}` | {needs} | {answers} | {action.scope} |")
    return "\n".join(rows)
