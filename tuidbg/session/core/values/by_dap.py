"""The variables of a frame by standard DAP requests, for adapters without tuidbg's own queries.

Values with many indexed children are fetched in pages, if the adapter counts them or accepts pages
all the same; setting and display are the adapter's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tuidbg.adapters.errors import AdapterError, RequestFailed
from tuidbg.dap.types import SetVariableBody
from tuidbg.session.core.feature import hooks
from tuidbg.session.core.stack.inspection import LOCALS
from tuidbg.session.core.values.types import (
    FIRST_HANDLE,
    PAGE,
    Children,
    ChildrenRequest,
    DisplayFormat,
    FullText,
    Handles,
    Owner,
    ValueAddress,
    ValueSource,
    VariableNode,
    twin_name,
)
from tuidbg.session.model.errors import (
    AdapterFailed,
    EvaluationFailed,
    UnsupportedByAdapter,
    VariableNotFound,
)
from tuidbg.session.model.state import Scope, Variable

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session

_POINTER = re.compile(r"0x[0-9a-fA-F]+")
"""A pointer in LLDB's text of one; its target may follow."""


_ARGUMENTS = "Arguments"
"""The scope of a frame's arguments, if the adapter has one."""


class _DapPage(NamedTuple):
    variables: tuple[Variable, ...]
    start: int
    total: int


class ValuesByDap(ValueSource):
    """A source of values without queries inside the program."""

    can_be_displayed = False

    def __init__(self, session: Session, handles: Handles) -> None:
        self._session = session
        self._handles = handles

    @property
    def can_be_hexadecimal(self) -> bool:
        return bool(self._session.adapter.capabilities.supports_value_formatting_options)

    def set_display(self, variable: Variable, display: DisplayFormat | None) -> None:
        raise UnsupportedByAdapter("this debug adapter can't answer that")

    def check(self, reference: int) -> None:
        # Adapters accept any number for a reference, and old ones for new ones.
        if reference >= FIRST_HANDLE:
            self._handles.address(reference)
        elif not self._session.inspection.references.has_given(reference):
            raise VariableNotFound(reference)

    def opened(self, reference: int, address: ValueAddress) -> int:
        return reference

    # Children

    async def look(
        self,
        frame_id: int,
        wanted: Mapping[str, ChildrenRequest],
        note: Callable[[tuple[VariableNode, ...]], None] | None = None,
    ) -> tuple[VariableNode, ...]:
        references = self._session.inspection.references
        scopes = self._join_arguments(await self._session.inspection.scopes(frame_id))
        roots = [
            VariableNode(Variable(name=s.name, value="", reference=s.reference), is_scope=True)
            for s in scopes
        ]
        for index, root in enumerate(roots):
            reference = root.variable.reference
            references.note_owner(reference, "", frame_id)
            if note is not None:
                note(tuple(roots))
            if (want := wanted.get(root.variable.name)) is not None and reference:
                children, start, total = await self.children(reference, want)
                roots[index] = VariableNode(root.variable, children, True, start, total)
        return tuple(roots)

    def _join_arguments(self, scopes: tuple[Scope, ...]) -> tuple[Scope, ...]:
        """Merge the arguments into the locals, for adapters (such as gdb) with a scope for each."""
        arguments = next((s for s in scopes if s.hint == "arguments" or s.name == _ARGUMENTS), None)
        if arguments is None or not arguments.reference:
            return scopes
        local = next((s for s in scopes if s.name == LOCALS and s.reference), None)
        if local is None:
            joined = msgspec.structs.replace(arguments, name=LOCALS)
            return tuple(joined if s is arguments else s for s in scopes if s.name != LOCALS)
        self._session.inspection.references.note_arguments(arguments.reference, local.reference)
        return tuple(s for s in scopes if s is not arguments)

    async def children(self, reference: int, wanted: ChildrenRequest) -> Children:
        if reference >= FIRST_HANDLE:
            self._handles.address(reference)
            raise UnsupportedByAdapter("this debug adapter can't answer that")
        references = self._session.inspection.references
        if not (arguments := references.arguments_of(reference)):
            return await self._children_of(reference, wanted)
        owner = references.owner(reference)
        references.note_owner(arguments, "", owner.frame_id)
        first, _, count = await self._children_of(
            arguments, ChildrenRequest(children=wanted.children)
        )
        rest = msgspec.structs.replace(wanted, start=max(0, wanted.start - count))
        nodes, start, total = await self._children_of(reference, rest)
        if start == 0:
            return (*first, *nodes), 0, count + total
        return nodes, count + start, count + total

    async def _children_of(self, reference: int, wanted: ChildrenRequest) -> Children:
        references = self._session.inspection.references
        owner = references.owner(reference)
        page = await self._page(reference, wanted)
        nodes, seen = [], dict[str, int]()
        for variable in page.variables:
            name = variable.name
            expression = _expression(variable, owner)
            if variable.reference:
                references.note_owner(variable.reference, expression, owner.frame_id)
            address = ValueAddress(owner.frame_id, "", (), name, expression, container=reference)
            variable = msgspec.structs.replace(
                variable,
                name=_shown_name(name, expression),
                evaluate_name=expression,
                handle=self._handles.remember(address),
            )
            seen[name] = seen.get(name, 0) + 1
            below = wanted.children.get(twin_name(variable.name, seen[name]))
            if below is None or not variable.reference:
                nodes.append(VariableNode(variable))
                continue
            children, start, total = await self.children(variable.reference, below)
            nodes.append(VariableNode(variable, children, False, start, total))
        return tuple(nodes), page.start, page.total

    async def _page(self, reference: int, wanted: ChildrenRequest) -> _DapPage:
        ask = self._session.inspection.variables
        counts = self._session.inspection.references.counts(reference)
        if counts is None:
            return await self._uncounted(reference, wanted)
        total = counts.named + counts.indexed
        start = max(0, min(wanted.start, total - wanted.count))
        if total <= PAGE:
            everything = await ask(reference)
            return _DapPage(everything[start:][: wanted.count], start, max(total, len(everything)))
        found: tuple[Variable, ...] = ()
        if start < counts.named:
            named = await ask(reference, part="named")
            found = named[start:][: wanted.count]
        if (missing := wanted.count - len(found)) > 0 and counts.indexed:
            first = max(0, start - counts.named)
            missing = min(missing, counts.indexed - first)
            found += (await ask(reference, first, missing, "indexed"))[:missing]
        return _DapPage(found, start, total)

    async def _uncounted(self, reference: int, wanted: ChildrenRequest) -> _DapPage:
        """Fetch one more than requested to detect others; some adapters return all in any case."""
        is_end_asked = wanted.start >= _BEYOND
        start = 0 if is_end_asked else wanted.start
        count = PAGE if is_end_asked else wanted.count
        found = await self._session.inspection.variables(reference, start, count + 1)
        if len(found) > count + 1:
            total = len(found)
            start = max(0, min(wanted.start, total - count))
            return _DapPage(found[start:][:count], start, total)
        return _DapPage(found[:count], start, start + len(found))

    async def full(
        self, address: ValueAddress, variable: Variable, how: str, limit: int
    ) -> FullText:
        text = variable.value
        if address.expression and self._session.adapter.capabilities.supports_clipboard_context:
            frame_id = address.frame_id or None
            inspection = self._session.inspection

            async def evaluate(expression: str) -> str:
                return (await inspection.evaluate(expression, frame_id, "clipboard")).value

            text = await evaluate(address.expression)
            whole = self._session.profile.values.whole_text
            return FullText(*await whole(evaluate, address.expression, text, limit))
        return FullText(text[:limit], len(text))

    # Setting

    async def store(
        self, address: ValueAddress, variable: Variable, expression: str, ticket: int
    ) -> Variable:
        """Assign if both language and adapter support assignments, else use ``setVariable``.

        The value is read again, as a reply may be wrong. LLDB's ``setVariable`` accepts numbers
        only, and sets the wrong bits of a bit field.
        """
        session = self._session
        if session.profile.values.assigns and address.expression[:1] not in ("", "$"):
            await session.inspection.evaluate(
                f"{address.expression} = ({expression})",
                address.frame_id or None,
                session.profile.values.any_expression,
            )
            return await self._read_again(address, variable)
        if not session.adapter.capabilities.supports_set_variable:
            raise UnsupportedByAdapter("this debug adapter can't set variables")
        arguments = {
            "variablesReference": address.container,
            "name": address.name,
            "value": expression,
        }
        try:
            answer = await session.adapter.request("setVariable", arguments, into=SetVariableBody)
        except RequestFailed as error:
            why = session.profile.values.explain_failure(error.reason)
            raise EvaluationFailed(why) from error
        except AdapterError as error:
            raise AdapterFailed(str(error)) from error
        if session.profile.values.stay_as_told:
            kind, inner = answer.type or variable.type, answer.variables_reference
            return msgspec.structs.replace(variable, value=answer.value, type=kind, reference=inner)
        found = await self._read_again(address, variable)
        if found.value == variable.value and expression.strip() != variable.value:
            raise EvaluationFailed(f"the value was not taken: it is {found.value} still")
        if not session.profile.values.shows_set_registers and address.expression.startswith("$"):
            for act in hooks.value_stored:
                await act(session, address.frame_id or None)
        return found

    async def restore(
        self, address: ValueAddress, before: Variable, after: Variable, ticket: int
    ) -> Variable:
        text = before.value
        if before.type.endswith("*") and (pointer := _POINTER.match(text)):
            text = f"({before.type}){pointer[0]}"
        return await self.store(address, after, text, ticket)

    async def _read_again(self, address: ValueAddress, variable: Variable) -> Variable:
        """Read it with its siblings, or by its expression if it is not among the first of them."""
        session = self._session
        inspection = session.inspection
        children = await inspection.variables(address.container) if address.container else ()
        found = next((child for child in children if child.name == address.name), None)
        if found is not None:
            again = msgspec.structs.replace(
                variable, value=found.value, type=found.type, reference=found.reference
            )
        elif address.expression:  # one of a million
            context, frame_id = session.profile.values.any_expression, address.frame_id or None
            told = await inspection.evaluate(address.expression, frame_id, context)
            again = msgspec.structs.replace(variable, value=told.value, reference=told.reference)
        else:
            raise AdapterFailed(f"{address.name} is not there any more")
        return again


_BEYOND = 2**32
"""Beyond any number of children: a request from there on only counts them."""


def _expression(variable: Variable, owner: Owner) -> str:
    """Return a child's expression; LLDB's is invalid for container elements, nameless unions."""
    told = variable.evaluate_name
    if "->[" in told:
        return f"{owner.expression}{variable.name}" if owner.expression else ""
    return "" if told.endswith((".", "->")) else told


def _shown_name(name: str, expression: str) -> str:
    if name in ("", "<null>"):
        return expression or "(nameless)"
    return name
