"""The locals of a call between two steps, as the variables pane would show them."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from tuidbg.session.recording.path import Change
from tuidbg.session.recording.types import Local
from tuidbg.session.state import Frame, Variable, VariableKind
from tuidbg.session.values.types import Wanted
from tuidbg.session.values.variables import ShowsValues

LONGEST_VALUE = 500
"""Characters of a value that are kept."""

MOST_LOCALS = 100

MOST_OPENED, MOST_FIELDS = 10, 20
"""Structures of which an adapter tells the type alone that are looked into, and how far."""

UNTOLD = frozenset(
    {VariableKind.SPECIAL, VariableKind.MODULE, VariableKind.CALLABLE, VariableKind.CLASS}
)
"""These say nothing of the data."""


class Look(msgspec.Struct):
    """A frame as it was seen: its locals, and what calls on its line returned, by name.

    ``more`` locals were not looked at.
    """

    locals: dict[str, Local]
    returned: dict[str, Local]
    more: int = 0


async def look_at(session: ShowsValues, frame: Frame) -> Look:
    """The locals of a frame. Raises DebuggerError."""
    look = Look({}, {})
    scopes = await session.values.look(frame.id, {"Locals": Wanted(count=MOST_LOCALS)})
    scope = next((scope for scope in scopes if scope.children is not None), None)
    if scope is None:
        return look
    nodes = scope.children or ()
    look.more = max(0, scope.total - len(nodes))
    left = MOST_OPENED if not session.values.is_inside else 0
    for node in nodes:
        variable = node.variable
        if left and variable.reference and not _tells_contents(variable):
            left -= 1
            await _open(session, variable, look)
        if variable.kind is VariableKind.RETURNED:
            look.returned[variable.name] = _local(variable)
        elif variable.kind not in UNTOLD and not is_group(variable.name, variable.value):
            look.locals[variable.name] = _local(variable)
    return look


def _tells_contents(variable: Variable) -> bool:
    return any(bracket in variable.value for bracket in "{[(\"'")


async def _open(session: ShowsValues, variable: Variable, look: Look) -> None:
    """Take the fields of a structure whose value says nothing of it, as locals of their own."""
    wanted = Wanted(count=MOST_FIELDS)
    nodes, _, _ = await session.values.children(variable.reference, wanted)
    for node in nodes[:MOST_FIELDS]:
        name = f"{variable.name}.{node.variable.name}"
        look.locals[name] = msgspec.structs.replace(_local(node.variable), name=name)


def _print_of(local: Local) -> tuple[str, ...]:
    return local.value, local.type, local.size


def is_group(name: str, value: str) -> bool:
    """True if it is the language's or the adapter's own: no variable of the person's."""
    is_own = name.startswith("~") or (name.startswith("__") and name.endswith("__"))
    return is_own or (name.endswith(" variables") and not value)


def _local(variable: Variable) -> Local:
    value = cut_value(variable.value or variable.problem.value)
    return Local(name=variable.name, value=value, type=variable.type, size=variable.size)


def cut_value(value: str) -> str:
    """As much of a value as is kept."""
    return value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"


def compare(
    before: Look, after: Look, unset: set[str], assigned: Collection[str] = ()
) -> list[Change]:
    """The differences from before: calls that returned, new and changed values, what is gone.

    ``unset`` are locals that nobody has set yet, what memory held there notwithstanding; those that
    are set now are taken out. ``assigned`` are those of them that are set now in any case.
    """
    found = [
        Change(name=name, kind="returned", values=[local.value])
        for name, local in after.returned.items()
    ]
    for name, local in after.locals.items():
        known = before.locals.get(name)
        if known is None:
            found.append(Change(name=name, kind="new", values=[local.value]))
        elif name in assigned or _print_of(known) != _print_of(local):
            kind, was = ("new", "") if name in unset else ("changed", known.value)
            unset.discard(name)
            found.append(Change(name=name, kind=kind, before=was, values=[local.value]))
    found += [
        Change(name=name, kind="gone", before=local.value, values=[])
        for name, local in before.locals.items()
        if name not in after.locals
    ]
    return found
