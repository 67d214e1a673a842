"""The variables of a frame by DAP's own requests, for adapters that know no better.

What has many children by index comes in pages, where the adapter counts them or takes pages all
the same; what is set or shown is what the adapter says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tuidbg.dap import types as dap
from tuidbg.session.state import Variable
from tuidbg.session.values.contents import FullText
from tuidbg.session.values.types import PAGE, Address, VariableNode, Wanted, twin_name

if TYPE_CHECKING:
    from tuidbg.session.values.variables import Values


class _Counts(msgspec.Struct, frozen=True):
    """How many children there are, by name and by index."""

    named: int
    indexed: int


class _Owner(msgspec.Struct, frozen=True):
    """Whose children a reference has: the expression that gives it, in which frame."""

    expression: str
    frame_id: int


class _Page(NamedTuple):
    variables: tuple[Variable, ...]
    start: int
    total: int


class ValuesByDap:
    """The part of ``Values`` that asks no questions inside the program."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._session = values.session
        self._counts: dict[int, _Counts] = {}
        self._owners: dict[int, _Owner] = {}
        self._stop = 0

    # What is known of references

    def note(self, variables: Iterable[dap.Variable]) -> None:
        """The adapter gave these: remember how much it counted in each."""
        self._begin_stop()
        for told in variables:
            if told.variables_reference:
                self._count(told.variables_reference, told.named_variables, told.indexed_variables)

    def note_result(self, result: dap.EvaluateBody, expression: str, frame_id: int) -> None:
        """The adapter has evaluated something that can be opened."""
        self._begin_stop()
        reference = result.variables_reference
        self._count(reference, result.named_variables, result.indexed_variables)
        self._owners[reference] = _Owner(expression, frame_id)

    def has_given(self, reference: int) -> bool:
        """Whether this reference was given out at this stop."""
        self._begin_stop()
        return reference in self._owners

    def _count(self, reference: int, named: int | None, indexed: int | None) -> None:
        if named or indexed:
            self._counts[reference] = _Counts(named or 0, indexed or 0)
        else:
            self._counts.pop(reference, None)

    def _begin_stop(self) -> None:
        if self._stop != self._session.stop_id:
            self._stop = self._session.stop_id
            self._counts.clear()
            self._owners.clear()

    # Children

    async def look(
        self,
        frame_id: int,
        wanted: Mapping[str, Wanted],
        note: Callable[[tuple[VariableNode, ...]], None] | None,
    ) -> tuple[VariableNode, ...]:
        scopes = await self._session.inspection.scopes(frame_id)
        self._begin_stop()
        roots = [
            VariableNode(Variable(name=s.name, value="", reference=s.reference), is_scope=True)
            for s in scopes
        ]
        for index, root in enumerate(roots):
            reference = root.variable.reference
            self._owners[reference] = _Owner("", frame_id)
            if note is not None:
                note(tuple(roots))
            if (want := wanted.get(root.variable.name)) is not None and reference:
                children, start, total = await self.children(reference, want)
                roots[index] = VariableNode(root.variable, children, True, start, total)
        return tuple(roots)

    async def children(
        self, reference: int, wanted: Wanted
    ) -> tuple[tuple[VariableNode, ...], int, int]:
        """The nodes, the position of the first, and how many there are, as far as that is told."""
        self._begin_stop()
        owner = self._owners.get(reference, _Owner("", 0))
        page = await self._page(reference, wanted)
        nodes, seen = [], dict[str, int]()
        for variable in page.variables:
            name = variable.name
            expression = _expression(variable, owner)
            if variable.reference:
                self._owners[variable.reference] = _Owner(expression, owner.frame_id)
            address = Address(owner.frame_id, "", (), name, expression, container=reference)
            variable = msgspec.structs.replace(
                variable,
                name=_shown_name(name, expression),
                evaluate_name=expression,
                handle=self._values.remember(address),
            )
            seen[name] = seen.get(name, 0) + 1
            below = wanted.children.get(twin_name(variable.name, seen[name]))
            if below is None or not variable.reference:
                nodes.append(VariableNode(variable))
                continue
            children, start, total = await self.children(variable.reference, below)
            nodes.append(VariableNode(variable, children, False, start, total))
        return tuple(nodes), page.start, page.total

    async def _page(self, reference: int, wanted: Wanted) -> _Page:
        ask = self._session.inspection.variables
        counts = self._counts.get(reference)
        if counts is None:
            return await self._uncounted(reference, wanted)
        total = counts.named + counts.indexed
        start = max(0, min(wanted.start, total - wanted.count))
        if total <= PAGE:
            everything = await ask(reference)
            return _Page(everything[start:][: wanted.count], start, max(total, len(everything)))
        found: tuple[Variable, ...] = ()
        if start < counts.named:
            named = await ask(reference, part="named")
            found = named[start:][: wanted.count]
        if (missing := wanted.count - len(found)) > 0 and counts.indexed:
            first = max(0, start - counts.named)
            missing = min(missing, counts.indexed - first)
            found += (await ask(reference, first, missing, "indexed"))[:missing]
        return _Page(found, start, total)

    async def _uncounted(self, reference: int, wanted: Wanted) -> _Page:
        """One more than wanted tells whether there are others; some give all whatever is asked."""
        is_end_asked = wanted.start >= _BEYOND
        start = 0 if is_end_asked else wanted.start
        count = PAGE if is_end_asked else wanted.count
        found = await self._session.inspection.variables(reference, start, count + 1)
        if len(found) > count + 1:
            total = len(found)
            start = max(0, min(wanted.start, total - count))
            return _Page(found[start:][:count], start, total)
        return _Page(found[:count], start, start + len(found))

    async def full(self, address: Address, variable: Variable, limit: int) -> FullText:
        """The whole text of a value, where nothing can be asked inside."""
        text = variable.value
        if address.expression and self._session.capabilities.supports_clipboard_context:
            frame_id = address.frame_id or None
            inspection = self._session.inspection

            async def evaluate(expression: str) -> str:
                return (await inspection.evaluate(expression, frame_id, "clipboard")).value

            text = await evaluate(address.expression)
            whole = self._session.profile.values.whole_text
            return FullText(*await whole(evaluate, address.expression, text, limit))
        return FullText(text[:limit], len(text))


_BEYOND = 2**32
"""Nothing has so many children: whoever asks from there on wants to know how many there are."""


def _expression(variable: Variable, owner: _Owner) -> str:
    """What gives a child; LLDB's for elements of containers and for nameless unions is none."""
    told = variable.evaluate_name
    if "->[" in told:
        return f"{owner.expression}{variable.name}" if owner.expression else ""
    return "" if told.endswith((".", "->")) else told


def _shown_name(name: str, expression: str) -> str:
    if name in ("", "<null>"):
        return expression or "(nameless)"
    return name
