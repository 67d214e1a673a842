"""Frames and variables of the past, in the form of those of a stop.

So a front end that shows a stop shows a past moment as well. The ids of such frames are negative;
no adapter uses those.
"""

from __future__ import annotations

import ast
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping

from tuidbg.recording.segment import INDEX, UNBOUND, Token
from tuidbg.recording.timeline import DEEPEST, Moment, RecordedFrame, Timeline
from tuidbg.recording.values import RecordedPart, ValuesAt, Whole, is_items, reference
from tuidbg.session.core.values.types import (
    ChildMatches,
    Children,
    ChildrenRequest,
    DisplayFormat,
    FullText,
    Handles,
    How,
    JsonText,
    ValueAddress,
    ValueSource,
    VariableNode,
)
from tuidbg.session.model.errors import (
    EvaluationFailed,
    StaleReply,
    UnsupportedByAdapter,
    VariableNotFound,
)
from tuidbg.session.model.state import Frame, Place, Variable, VariableKind

LOCALS, GLOBALS = "Locals", "Globals"

MOST_FRAMES, MOST_HANDLES = 20_000, 100_000
"""The last ones issued are kept; a front end queries those that it shows."""

_NO_FRAME = 0

_KINDS = {
    "function": VariableKind.CALLABLE,
    "builtin_function_or_method": VariableKind.CALLABLE,
    "method": VariableKind.CALLABLE,
    "type": VariableKind.CLASS,
    "module": VariableKind.MODULE,
}


class PastTarget:
    """The target of a past handle: an owner's variables, or a value."""

    def __init__(
        self,
        frame_id: int,
        when: int,
        *,
        owner: int = 0,
        token: Token = None,
        name: str = "",
        expression: str = "",
    ) -> None:
        self.frame_id = frame_id
        self.when = when
        self.owner = owner
        self.token = token
        self.name = name
        self.expression = expression
        """The expression for it from the variables of its frame; empty for a scope."""


class PastValues(ValueSource):
    """The values of the recording, as a source of ``Values``."""

    can_be_displayed = False
    can_be_hexadecimal = False

    def __init__(self, handles: Handles, displays: dict[str, DisplayFormat]) -> None:
        """``displays`` are the display formats of variables, by their expressions."""
        self._handles = handles
        self._displays = displays
        self._timeline = Timeline()
        self._known: OrderedDict[int, PastTarget] = OrderedDict()
        self._frames: OrderedDict[int, tuple[Moment, RecordedFrame]] = OrderedDict()
        self._next_frame = -1

    def follow(self, timeline: Timeline) -> None:
        """Switch to another recording."""
        self._timeline = timeline
        self._known.clear()
        self._frames.clear()

    # Frames

    def frames(self, moment: Moment, most: int = DEEPEST) -> tuple[Frame, ...]:
        """Return the stack at a moment, at most its ``most`` innermost calls."""
        frames = []
        for index, past in enumerate(self._timeline.stack(moment, most)):
            number, self._next_frame = self._next_frame, self._next_frame - 1
            self._frames[number] = moment, past
            if len(self._frames) > MOST_FRAMES:
                self._frames.popitem(last=False)
            place = Place(path=past.path, line=past.line) if past.path else None
            name = past.name.rpartition(".<locals>.")[2]
            frames.append(Frame(id=number, index=index, name=name, place=place))
        return tuple(frames)

    def past_frame(self, frame_id: int) -> tuple[Moment, RecordedFrame]:
        """Return a frame's moment and call. Raises StaleReply."""
        try:
            return self._frames[frame_id]
        except KeyError:
            raise StaleReply("past frame") from None  # too many were shown since

    def has(self, reference: int) -> bool:
        """True if this reference is of the past."""
        return reference in self._known

    # Values

    async def look(
        self,
        frame_id: int,
        wanted: Mapping[str, ChildrenRequest],
        note: Callable[[tuple[VariableNode, ...]], None] | None = None,
    ) -> tuple[VariableNode, ...]:
        moment, past = self.past_frame(frame_id)
        scopes = [(LOCALS, past.owner)]
        if past.space and past.space != past.owner:
            scopes.append((GLOBALS, past.space))
        nodes = []
        for name, owner in scopes:
            known = PastTarget(frame_id, moment.when, owner=owner, name=name)
            variable = Variable(name=name, value="", reference=self._remember(known))
            if name not in wanted:
                nodes.append(VariableNode(variable, is_scope=True))
                continue
            children, start, total = self._children(known, wanted[name])
            nodes.append(VariableNode(variable, children, True, start, total))
        return tuple(nodes)

    async def children(self, reference: int, wanted: ChildrenRequest) -> Children:
        self.check(reference)
        known = self._known[reference]
        return self._children(known, wanted)

    def _children(self, known: PastTarget, wanted: ChildrenRequest) -> Children:
        values = ValuesAt(self._timeline, known.when)
        parts = _parts(values, known)
        shown = parts[wanted.start :][: wanted.count]
        nodes = tuple(self._node(values, part, known, wanted) for part in shown)
        return nodes, wanted.start, len(parts)

    def _node(
        self, values: ValuesAt, part: RecordedPart, above: PastTarget, wanted: ChildrenRequest
    ) -> VariableNode:
        known = PastTarget(
            above.frame_id,
            values.when,
            token=part.value,
            name=part.name,
            expression=_expression(values, part, above),
        )
        variable = self._variable(values, known)
        below = wanted.children.get(part.name)
        if below is None or not variable.reference:
            return VariableNode(variable)
        children, start, total = self._children(known, below)
        return VariableNode(variable, children, False, start, total)

    def evaluate(self, frame_id: int, text: str) -> Variable:
        """Evaluate an expression in a past frame, from the recorded values.

        Raises EvaluationFailed where the value is unknown; nothing runs for it.
        """
        moment, _ = self.past_frame(frame_id)
        token = self._token(frame_id, text)
        known = PastTarget(frame_id, moment.when, token=token, name=text, expression=f"({text})")
        return self._variable(ValuesAt(self._timeline, moment.when), known)

    def _token(self, frame_id: int, text: str) -> Token:
        from tuidbg.recording.expressions.expression import Expression
        from tuidbg.recording.expressions.reader import MomentReader, NotKnown

        moment, past = self.past_frame(frame_id)
        try:
            reader = MomentReader(self._timeline).at(moment.when, past.owner, past.space)
            return Expression(text).evaluate(reader)
        except NotKnown as error:
            raise EvaluationFailed(str(error)) from None

    def recorded(self, token: Token, when: int, name: str) -> Variable | None:
        """Return a value found in the recording, as of a moment; None if there was none."""
        if token == UNBOUND:
            return None
        known = PastTarget(_NO_FRAME, when, token=token, name=name)
        return self._variable(ValuesAt(self._timeline, when), known)

    def _variable(self, values: ValuesAt, known: PastTarget) -> Variable:
        """Return one variable as it was."""
        token = known.token
        has_parts = reference(token) is not None or is_items(token)
        total = values.count(token) if has_parts else 0
        handle = self._remember(known)
        length = values.length(token)
        return Variable(
            name=known.name,
            value=self._shown(values, known),
            type=values.type_name(token),
            reference=handle if total else 0,
            evaluate_name=known.expression,
            handle=handle,
            size=f"{length:,}" if length is not None else "",
            total=total,
            kind=kind_of(values, token),
        )

    def _shown(self, values: ValuesAt, known: PastTarget) -> str:
        """Return its text, in the user's display format."""
        display = self._displays.get(known.expression) if known.expression else None
        if display is None or display.how is How.REPR:
            return values.text(known.token)
        if display.how is How.TYPE:
            return values.type_name(known.token)
        try:
            if display.how is How.LEN:
                return values.text(self._token(known.frame_id, f"len({known.expression})"))
            if display.how is How.EXPRESSION:
                text = _with_it(display.expression, known.expression)
                return values.text(self._token(known.frame_id, text))
        except (EvaluationFailed, StaleReply) as error:
            return f"<{error}>"
        return known.token if isinstance(known.token, str) else values.text(known.token)

    def _remember(self, known: PastTarget) -> int:
        address = ValueAddress(known.frame_id, "past", (), known.name, known.expression)
        handle = self._handles.remember(address)
        self._known[handle] = known
        if len(self._known) > MOST_HANDLES:
            self._known.popitem(last=False)
        return handle

    def check(self, reference: int) -> None:
        if reference not in self._known:
            raise VariableNotFound(reference)

    def opened(self, reference: int, address: ValueAddress) -> int:
        return reference

    def set_display(self, variable: Variable, display: DisplayFormat | None) -> None:
        if not variable.evaluate_name:
            raise UnsupportedByAdapter("it has no expression by which it could be known again")
        if display is None:
            self._displays.pop(variable.evaluate_name, None)
        else:
            self._displays[variable.evaluate_name] = display

    async def full(
        self, address: ValueAddress, variable: Variable, how: str, limit: int
    ) -> FullText:
        values, token = self._at(variable)
        if how == "bytes":
            data = values.data(token)
            if data is not None and len(data) == values.length(token):
                return FullText(data.hex(), len(data), "bytes")
            return _digits(values.text(token))
        kind = "str" if values.type_name(token) == "str" else ""
        if kind and how != "repr":
            text = str(token if isinstance(token, str) else token[1])
            return FullText(text, values.length(token) or 0, kind)
        text = Whole(values, limit).text(token)
        return FullText(text, len(text), kind)

    def as_json(self, variable: Variable, limit: int) -> JsonText:
        """Return it as JSON."""
        values, token = self._at(variable)
        whole = Whole(values, limit)
        text = json.dumps(whole.json(token), indent=2, ensure_ascii=False)
        return JsonText(text, len(text), whole.is_whole)

    def find(self, variable: Variable, text: str, limit: int) -> ChildMatches:
        """Search a text in the names and values of its parts."""
        self.check(variable.handle)
        known = self._known[variable.handle]
        values = ValuesAt(self._timeline, known.when)
        parts, ignore_case = _parts(values, known), text == text.lower()
        found = []
        for position, part in enumerate(parts):
            where = f"{part.name}\0{values.text(part.value)}"
            if text in (where.lower() if ignore_case else where):
                found.append((position, part.name))
            if len(found) >= limit:
                return ChildMatches(tuple(found), position + 1, len(parts))
        return ChildMatches(tuple(found), len(parts), len(parts))

    def position(self, variable: Variable, key: str) -> tuple[int, str]:
        """Return the part of that index, key or name. Raises EvaluationFailed."""
        self.check(variable.handle)
        known = self._known[variable.handle]
        names = [part.name for part in _parts(ValuesAt(self._timeline, known.when), known)]
        for wanted in (key, repr(key), key.replace('"', "'")):
            if wanted in names:
                return names.index(wanted), wanted
        raise EvaluationFailed(f"there is no {key} in {variable.name}")

    def _at(self, variable: Variable) -> tuple[ValuesAt, Token]:
        """Return the values of its moment, and its own."""
        self.check(variable.handle)
        known = self._known[variable.handle]
        return ValuesAt(self._timeline, known.when), known.token

    async def store(
        self, address: ValueAddress, variable: Variable, expression: str, ticket: int
    ) -> Variable:
        raise UnsupportedByAdapter("recorded values can't be set; `.` returns to the present")

    async def restore(
        self, address: ValueAddress, before: Variable, after: Variable, ticket: int
    ) -> Variable:
        raise UnsupportedByAdapter("recorded values can't be set; `.` returns to the present")


def _expression(values: ValuesAt, part: RecordedPart, above: PastTarget) -> str:
    """Return the expression for a part of a value that has one; else empty."""
    if above.owner:
        return part.name if part.name.isidentifier() else ""
    record = values.kind(above.token)
    if part.key >= INDEX and (record is None or record.kind != "s"):
        return f"{above.expression}[{part.key - INDEX}]"
    if record is not None and record.kind == "m":
        return f"{above.expression}[{part.name!r}]"
    if record is not None and record.kind == "d":
        return f"{above.expression}[{part.name}]"
    return f"{above.expression}.{part.name}" if part.name.isidentifier() else ""


def _parts(values: ValuesAt, known: PastTarget) -> list[RecordedPart]:
    """Return its parts in display order: functions, classes and modules come last."""
    parts = values.variables(known.owner) if known.owner else values.parts(known.token)
    parts.sort(key=lambda part: kind_of(values, part.value) is not VariableKind.PLAIN)
    return parts


def _with_it(display: str, expression: str) -> str:
    """Return an expression with another one in place of ``it``."""
    try:
        tree = ast.parse(display, mode="eval")
        value = ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise EvaluationFailed(f"that is no expression: {error}") from None

    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return value if node.id == "it" else node

    return ast.unparse(Put().visit(tree))


def _digits(text: str) -> FullText:
    """Return the bytes in a value's text, as hexadecimal digits. Raises EvaluationFailed."""
    try:
        data = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        data = None
    if not isinstance(data, bytes):
        raise EvaluationFailed(f"not all of it was recorded: {text}")
    return FullText(data.hex(), len(data), "bytes")


def kind_of(values: ValuesAt, token: Token) -> VariableKind:
    """Distinguish functions, classes and modules from plain values."""
    return _KINDS.get(values.type_name(token), VariableKind.PLAIN)
