"""Requests about values: scopes, variables, and setting them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tuidbg.api.dap.arguments import (
    FrameArguments,
    SetExpressionArguments,
    SetVariableArguments,
    VariablesArguments,
)
from tuidbg.api.dap.client import ORIGIN, Client
from tuidbg.api.dap.references import Container
from tuidbg.api.dap.refusals import BadRequest
from tuidbg.api.operations import table
from tuidbg.api.operations.views import view_variable
from tuidbg.session.errors import DebuggerError, EvaluationFailed
from tuidbg.session.evaluation.evaluate import Context
from tuidbg.session.events import ValuesChanged
from tuidbg.session.state import ValueProblem, Variable, VariableKind
from tuidbg.session.values.parts import MOST, Part, is_indexed
from tuidbg.session.values.types import Wanted

Json = dict[str, Any]

FIRST_PAGE = 200
"""Locals that are fetched together with the scopes of a frame."""

_LAZY = (ValueProblem.LATER, ValueProblem.LAZY, ValueProblem.SLOW)

_KINDS = {
    VariableKind.SPECIAL: "virtual",
    VariableKind.CALLABLE: "method",
    VariableKind.CLASS: "class",
    VariableKind.PROPERTY: "property",
    VariableKind.RETURNED: "virtual",
}

_PATTERN = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*|\[[^\[\]=]+\])*")
"""Expressions that can stand on the left of an assignment."""


@contextmanager
def changing_values(client: Client) -> Iterator[None]:
    """The client changes values itself: it is told of that by its answer, and others by events."""
    teller = client.teller
    if teller is None:
        yield
        return
    teller.own_changes += 1
    try:
        yield
    finally:
        teller.own_changes -= 1


class ValueRequests:
    """Answers what one client asks of values, and sets them."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def scopes(self, asked: FrameArguments) -> Json:
        """The scopes of a frame; the first page of its locals is fetched with them."""
        client, session = self._client, self._client.session
        frame = client.references.frames.get(asked.frame_id).frame
        nodes = await session.values.look(frame.id, {"Locals": Wanted(count=FIRST_PAGE)})
        scopes = []
        for node in nodes:
            container = Container(node.variable.reference, frame.id)
            name = node.variable.name
            scope: Json = {
                "name": name,
                "variablesReference": client.references.values.give(container),
                "expensive": node.children is None,
            }
            if node.children is not None:
                if node.start == 0 and node.total <= len(node.children):
                    container.page = tuple(child.variable for child in node.children)
                scope |= self._counts(node.total, 0)
                scope["presentationHint"] = "locals"
            elif name.startswith("Register"):
                scope["presentationHint"] = "registers"
            scopes.append(scope)
        return {"scopes": scopes}

    def _counts(self, named: int, indexed: int) -> Json:
        if not self._client.traits.supports_variable_paging:
            return {}
        found = {"namedVariables": named, "indexedVariables": indexed}
        return {name: count for name, count in found.items() if count}

    async def variables(self, asked: VariablesArguments) -> Json:
        """Tells what is in a scope or a variable, all of it or a page."""
        client, member = self._client, self._client.member
        container = client.references.values.get(asked.variables_reference)
        if container.lazy is not None:
            return {"variables": [await self._loaded(container)]}
        start, count = max(0, asked.start) + container.start, asked.count
        part = Part(asked.filter or container.part)
        if container.page is not None:
            found = _of_part(self, container, part)[start:]
            found = found[:count] if count > 0 else found
            return {"variables": [self._variable(container, each) for each in found]}
        most = count if 0 < count <= MOST else MOST
        page = await table.READ_VARIABLES(member, container.reference, part, start, most)
        told = [self._variable(container, each) for each in page.variables]
        rest = page.total - start - len(page.variables)
        if rest > 0 and len(page.variables) == most and (count <= 0 or count > most):
            more = Container(container.reference, container.frame_id, part=part)
            more.start = start + len(page.variables)
            number = client.references.values.give(more)
            told.append(
                {"name": "…", "value": f"{rest} more", "variablesReference": number}
                | {"presentationHint": {"kind": "virtual"}}
            )
        return {"variables": told}

    async def _loaded(self, container: Container) -> Json:
        """The value that was left out, worked out now."""
        lazy = container.lazy
        assert lazy is not None
        try:
            loaded = await self._client.session.values.load(lazy)
        except EvaluationFailed as error:
            return {"name": "", "value": f"<{error}>", "variablesReference": 0}
        return self._variable(container, loaded) | {"name": ""}

    def _variable(self, container: Container, found: Variable) -> Json:
        container.children[found.name] = found
        return {"name": found.name, **self.describe(container.frame_id, found)}

    def describe(self, frame_id: int, found: Variable) -> Json:
        """A value in DAP's words, but for its name."""
        client = self._client
        view = view_variable(found)
        is_lazy = found.problem in _LAZY and found.handle > 0
        reference = 0
        if is_lazy:
            reference = client.references.values.give(Container(0, frame_id, lazy=found))
        elif view.reference:
            reference = client.references.values.give(Container(view.reference, frame_id))
        body: Json = {"value": view.shown, "variablesReference": reference}
        if client.traits.supports_variable_type and view.type:
            body["type"] = view.type
        if view.evaluate_name:
            body["evaluateName"] = view.evaluate_name
        if reference and not is_lazy:
            counted = client.session.inspection.references.counts(view.reference)
            parts = (view.named, view.indexed) if counted is None else counted
            body |= self._counts(*parts)
        hint: Json = {"kind": kind} if (kind := _KINDS.get(view.kind)) else {}
        if is_lazy:
            hint["lazy"] = True
        if hint:
            body["presentationHint"] = hint
        if view.memory_reference and client.traits.supports_memory_references:
            body["memoryReference"] = view.memory_reference
        return body

    # Setting

    async def set_variable(self, asked: SetVariableArguments) -> Json:
        """Set a variable of a scope or of another variable."""
        client, session = self._client, self._client.session
        container = client.references.values.get(asked.variables_reference)
        found = container.children.get(asked.name)
        if found is None:
            raise BadRequest(f"there is no variable {asked.name!r} in it that you were told of")
        with changing_values(client):
            change = await table.SET_VALUE(session.values.changes, found, asked.value)
            session.publish(ValuesChanged(), ORIGIN)
        return _set(self.describe(container.frame_id, change.after))

    async def set_expression(self, asked: SetExpressionArguments) -> Json:
        """Assign to an expression, as the language does."""
        client, member = self._client, self._client.member
        left = asked.expression.strip()
        if not _PATTERN.fullmatch(left):
            raise BadRequest(f"{left!r} is nothing that can be assigned to")
        if not asked.value.strip():
            raise BadRequest("an expression, please")
        index, thread_id, frame_id = await frame_of(client, asked.frame_id)
        with changing_values(client):
            for text, context in (
                (f"{left} = ({asked.value})", Context.REPL),
                (left, Context.WATCH),
            ):
                found = await table.EVALUATE(
                    member, text, frame_index=index, thread_id=thread_id, context=context
                )
        return _set(self.describe(frame_id, found))


def _set(body: Json) -> Json:
    """Tells what is told of a value that was set."""
    fields = ("value", "type", "variablesReference", "namedVariables", "indexedVariables")
    return {name: body[name] for name in fields if name in body}


async def frame_of(client: Client, number: int | None) -> tuple[int, int | None, int]:
    """Place and thread of a frame of the client's, and the session's id of it; else the top one."""
    if number is not None:
        known = client.references.frames.get(number)
        return known.frame.index, known.thread_id, known.frame.id
    return 0, None, (await client.member.control.frame()).id


def _of_part(requests: ValueRequests, container: Container, part: Part) -> tuple[Variable, ...]:
    page = container.page or ()
    if part is Part.ALL:
        return page
    values = requests._client.session.values
    wants_indexed = part is Part.INDEXED
    try:
        return tuple(each for each in page if is_indexed(values, each) is wants_indexed)
    except DebuggerError:
        return page
