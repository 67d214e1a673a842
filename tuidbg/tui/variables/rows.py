"""The rows of the variables pane: any text of the program in them, and no more than is needed."""

from __future__ import annotations

from collections.abc import Hashable

from tuidbg.session.state import ValueProblem, Variable, VariableKind
from tuidbg.tui.widgets.rows import Piece, Row, visible

FETCHING: tuple[Piece, ...] = (("  fetching…", "faint"),)
NOTHING: tuple[Piece, ...] = (("  (nothing)", "faint"),)

_SPEAKING = frozenset(
    {"int", "float", "bool", "NoneType", "str", "bytes", "complex"}
    | {"list", "tuple", "dict", "set", "frozenset"}
)
"""Types that their values tell."""

_LONG = 100
"""Characters from which on the length of a text is told."""

_SEEN = 60
"""Characters of a value behind which a remark is still likely to be seen."""

_LOADS = {
    ValueProblem.SLOW: " Enter waits for it",
    ValueProblem.LATER: " Enter shows it",
    ValueProblem.LAZY: " Enter works it out",
    ValueProblem.RAISED: "",
    ValueProblem.UNKNOWN: "",
}


def annotation(variable: Variable, *, types: bool = False) -> str:
    """Returns what stands between name and value: the type where it is not plain, the size."""
    name, size = variable.type, variable.size
    if name in ("str", "bytes"):
        size = size if len(variable.value) >= _LONG else ""
    if not types and not size and _tells_type(variable):
        return ""
    if size and name in variable.value[: len(name)] and not types:
        name = ""  # `Counter 5 = Counter(...)`
    if size and not size.startswith("(") and " " not in size:
        size = f"[{size}]"
        return f": {name}{size}" if name else size
    return f": {name} {size}".rstrip() if name else f" {size}" if size else ""


def what_loads(variable: Variable) -> str:
    """Returns what stands behind a value that is not there yet: how it is got."""
    return _LOADS[variable.problem] if variable.problem else ""


def _tells_type(variable: Variable) -> bool:
    name = variable.type
    if not name or name in _SPEAKING or variable.kind is VariableKind.MODULE:
        return True
    return name in variable.value[: len(name) + 40]


def variable_row(
    path: Hashable,
    variable: Variable,
    is_open: bool,
    mark: str,
    indent: int,
    *,
    types: bool = False,
    is_match: bool = False,
) -> Row:
    """The row of a variable. ``mark`` is ``*`` changed, ``+`` new, or a space."""
    arrow = ("▾" if is_open else "▸") if variable.reference else " "
    style = _value_style(variable, mark)
    is_returned = variable.kind is VariableKind.RETURNED
    pieces: list[Piece] = [
        (arrow, "faint"),
        ("←" if is_returned else mark, "changed"),
        (visible(variable.name, 200), "match" if is_match else "name"),
    ]
    if note := annotation(variable, types=types):
        note = f" {note.lstrip(': ')}" if is_returned else note
        pieces.append((visible(note, 80), "faint"))
    remark = f"({visible(variable.remark, 80)})" if variable.remark else ""
    is_first = len(variable.value) > _SEEN  # behind the value nobody would see it
    if remark and is_first:
        pieces.append((f" {remark}", "faint"))
    pieces += [(" " if is_returned else " = ", "faint"), (visible(variable.value), style)]
    if more := what_loads(variable):
        pieces.append((more, "faint"))
    if remark and not is_first:
        pieces.append((f"  {remark}", "faint"))
    return Row(key=path, pieces=tuple(pieces), indent=indent)


def _value_style(variable: Variable, mark: str) -> str:
    match variable.problem:
        case ValueProblem.RAISED:
            return "error"
        case ValueProblem.SLOW | ValueProblem.LATER:
            return "warning"
        case ValueProblem.LAZY | ValueProblem.UNKNOWN:
            return "faint"
        case _:
            return "value" if mark == " " else "new"


def group_row(
    path: Hashable, variable: Variable, is_open: bool, is_scope: bool, indent: int
) -> Row:
    """The row of a scope or a group."""
    arrow = "▾" if is_open else "▸"
    arrow = arrow if variable.reference else " "
    style = "strong" if is_scope else "faint"
    name = visible(variable.name, 200)
    return Row(key=path, pieces=((f"{arrow} ", "faint"), (name, style)), indent=indent)


def more_row(key: Hashable, start: int, end: int, indent: int, go_to: str = "") -> Row:
    """Stands for the children from ``start`` to ``end``, which are not shown.

    ``go_to`` is the key that goes to one of them.
    """
    count = end - start
    text = f"  ⋯ {count:,} more" if start else f"  ⋯ {count:,} before"
    keys = f"  Enter; {go_to}: go to" if go_to else "  Enter"
    return Row(key=key, pieces=((text, "faint"), (keys, "faint")), indent=indent)


def gone_row(key: Hashable, name: str, value: str, indent: int) -> Row:
    """The row of a variable that was there at the last stop."""
    pieces = ((" ", "faint"), ("-", "changed"), (visible(name, 200), "gone"))
    return Row(key=key, pieces=(*pieces, (f" was {visible(value, 200)}", "faint")), indent=indent)
