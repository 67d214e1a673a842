"""Marks values whose own name tells nothing, and which their siblings show to be secrets.

An item of a named tuple is there by its index as well as by its name, and behind an option of a
command (``--password``) comes its value.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tuidbg.recording.leaving.secret_names import looks_secret
from tuidbg.session.state import Variable
from tuidbg.session.values.types import VariableNode


def mark_secrets(
    nodes: Sequence[VariableNode], before: Sequence[VariableNode] = ()
) -> tuple[VariableNode, ...]:
    """The same nodes; ``before`` are siblings that are not among them: the first and the last."""
    variables = mark_siblings([each.variable for each in nodes], [each.variable for each in before])
    return tuple(
        msgspec.structs.replace(
            node,
            variable=variable,
            children=mark_secrets(node.children) if node.children is not None else None,
        )
        for node, variable in zip(nodes, variables, strict=True)
    )


def mark_siblings(
    variables: Sequence[Variable], before: Sequence[Variable] = ()
) -> tuple[Variable, ...]:
    """The same without their children."""
    known = [*before, *variables]
    secret = {each.value for each in known if looks_secret(each.name) and each.value}
    marked = []
    previous = before[-1] if before else None
    for variable in variables:
        is_item = variable.name.strip("[]").isdecimal()
        if is_item and (variable.value in secret or _names_next(previous)):
            marked.append(msgspec.structs.replace(variable, is_secret=True))
        else:
            marked.append(variable)
        previous = variable
    return tuple(marked)


def _names_next(previous: Variable | None) -> bool:
    """Whether it is an option of a command whose value comes next."""
    if previous is None:
        return False
    word = previous.value.strip("'\"b")
    return word.startswith("-") and "=" not in word and looks_secret(word)
