"""The names that stand on a line of source: what it reads, and what it makes."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

import msgspec

from tuidbg.recording.queries.scan import (
    Began,
    OwnerChange,
    Passed,
    Sought,
    codes_of,
    is_end,
    sweep,
)
from tuidbg.recording.segment import FIRST_KEY, RAISED, RETURNED, UNBOUND, FrameRecord, Token
from tuidbg.recording.timeline import Moment, Timeline

MOST = 6
"""Names of a line that are told."""


class Names(NamedTuple):
    """Expressions as they stand there, each once, in their order."""

    read: tuple[str, ...]
    made: tuple[str, ...]


def names_on(source: str, line: int) -> Names:
    """The variables, attributes and items of a line; none where the source is no Python."""
    tree = _parsed(source)
    statement = _statement_at(tree, line) if tree is not None else None
    read: dict[str, None] = {}
    made: dict[str, None] = {}
    for part in _own_parts(statement) if statement is not None else ():
        for name, is_made in _paths(part):
            (made if is_made else read)[name] = None
    if isinstance(statement, ast.AugAssign):
        read = {**made, **read}
    return Names(tuple(read)[:MOST], tuple(made)[:MOST])


def with_wholes(names: Iterable[str]) -> tuple[str, ...]:
    """The same, each followed by what it is in: ``self.items[0]``, ``self.items``, ``self``."""
    found: dict[str, None] = {}
    for name in names:
        node = ast.parse(name, mode="eval").body
        found[name] = None
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
            found[ast.unparse(node)] = None
    return tuple(found)


def names_around(source: str, line: int) -> tuple[str, ...]:
    """The names in the head of the innermost `if` or loop that a line is in: why it ran."""
    tree = _parsed(source)
    statement = _statement_at(tree, line) if tree is not None else None
    head: ast.stmt | None = None
    for node in ast.walk(tree) if tree is not None else ():  # from the outer ones to the inner ones
        if not isinstance(node, _AROUND) or not node.lineno < line <= (node.end_lineno or 0):
            continue
        if isinstance(node, ast.If | ast.While | ast.For):
            head = head if node is statement else node
        else:
            head = None
    parts = [] if head is None else [part for each in _own_parts(head) for part in _paths(each)]
    return tuple(dict.fromkeys(name for name, _ in parts))[:MOST]


def gone_through(source: str, line: int) -> tuple[str, str] | None:
    """Of a loop over something that has a name: its variable, and that name."""
    tree = _parsed(source)
    match _statement_at(tree, line) if tree is not None else None:
        case ast.For(target=ast.Name(id=variable), iter=whole) if _is_path(whole):
            return variable, ast.unparse(whole)
    return None


_AROUND = (ast.If, ast.While, ast.For, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _statement_at(tree: ast.Module, line: int) -> ast.stmt | None:
    """The innermost one that has the line."""
    found: ast.stmt | None = None
    for node in ast.walk(tree):  # from the outer ones to the inner ones
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            found = node
    return found


def _own_parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """What stands in it, without the statements below it; of a function its arguments."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        arguments = statement.args
        for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            yield ast.Name(each.arg, ast.Load())
        return
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child


def _paths(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """The longest paths in an expression, and whether it makes them."""
    if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        if not isinstance(node, ast.Lambda):
            yield from _paths(node.generators[0].iter)  # the rest has variables of its own
        return
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield from _paths(node.func.value)
        elif not isinstance(node.func, ast.Name):
            yield from _paths(node.func)
        for argument in (*node.args, *(each.value for each in node.keywords)):
            yield from _paths(argument)
        return
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and _is_path(node):
        yield ast.unparse(node), isinstance(node.ctx, ast.Store)
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant):
            yield from _paths(node.slice)
        return
    for child in ast.iter_child_nodes(node):
        yield from _paths(child)


def _is_path(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return _is_path(node.value)
    if isinstance(node, ast.Subscript):
        index = node.slice.operand if isinstance(node.slice, ast.UnaryOp) else node.slice
        return _is_path(node.value) and (isinstance(index, ast.Constant) or _is_path(index))
    return isinstance(node, ast.Name)


class NamedValue(msgspec.Struct, frozen=True):
    """What a variable became in a call."""

    when: int
    thread: int
    frame: int
    value: Token


class ExecutionRow(msgspec.Struct, frozen=True):
    """A line was about to run, with these values."""

    moment: Moment
    values: dict[str, Token]


class RecordedCallRow(msgspec.Struct):
    """A call: the variables that it began with, and what it returned or raised.

    ``end`` is 0 and ``result`` ``UNBOUND`` while it is under way.
    """

    frame: int
    thread: int
    begin: int
    arguments: dict[str, Token]
    end: int = 0
    result: Token = msgspec.field(default_factory=lambda: UNBOUND)
    has_raised: bool = False


def series(timeline: Timeline, name: str, codes: Collection[int]) -> Iterator[NamedValue]:
    """All values of a variable over all calls of some functions, the oldest first."""
    key = timeline.names.get(name)
    if key is None:
        return
    owners: dict[int, int] = {}
    for event in sweep(timeline, Sought(frozenset(codes), {key}), timeline.now):
        if isinstance(event, Began):
            owners[event.frame.owner] = event.frame.number
        elif isinstance(event, OwnerChange) and event.owner in owners and event.value != UNBOUND:
            yield NamedValue(event.when, event.thread, owners[event.owner], event.value)


def passes(
    timeline: Timeline, path: str, line: int, names: Collection[str]
) -> Iterator[ExecutionRow]:
    """All times that a line was about to run, with the values of these variables there."""
    codes = codes_of(timeline, lambda each, *_: each == path)
    keys = {name: timeline.names[name] for name in names if name in timeline.names}
    frames: dict[int, FrameRecord] = {}
    values: dict[tuple[int, int], Token] = {}
    sought = Sought(codes, frozenset(keys.values()), line=line)
    for event in sweep(timeline, sought, timeline.now):
        if isinstance(event, Began):
            frames[event.frame.number] = event.frame
        elif isinstance(event, OwnerChange):
            values[event.owner, event.key] = event.value
        elif isinstance(event, Passed) and (frame := frames.get(event.where >> 24)) is not None:
            space = timeline.codes[frame.code].space
            found = {}
            for name, key in keys.items():
                value = values.get((frame.owner, key), UNBOUND)
                if value == UNBOUND:
                    value = values.get((space, key), UNBOUND)
                if value != UNBOUND:
                    found[name] = value
            moment = Moment(
                when=event.when, thread=event.thread, frame=frame.number, kind=0, line=line
            )
            yield ExecutionRow(moment, found)


def calls(timeline: Timeline, codes: Collection[int]) -> list[RecordedCallRow]:
    """All calls of some functions, in the order in which they began."""
    found: dict[int, RecordedCallRow] = {}
    sought = Sought(frozenset(codes), {RETURNED, RAISED})
    for event in sweep(timeline, sought, timeline.now):
        if isinstance(event, Began):
            frame = event.frame
            found[frame.number] = RecordedCallRow(
                frame=frame.number,
                thread=frame.thread,
                begin=frame.begin,
                arguments=_arguments(timeline, event),
            )
        elif isinstance(event, OwnerChange) and event.owner in found and is_end(event):
            call = found[event.owner]
            call.end, call.result, call.has_raised = event.when, event.value, event.key == RAISED
    return list(found.values())


def _arguments(timeline: Timeline, event: Began) -> dict[str, Token]:
    """The variables at the beginning, from the same segment where they are in it."""
    frame, unpacked = event.frame, event.unpacked
    rows: list[tuple[int, Token]] = []
    if unpacked is not None:
        segment = unpacked.segment
        start = bisect_left(segment.whens, frame.begin)
        for i in range(start, bisect_right(segment.whens, frame.begin)):
            if segment.owners[i] == frame.owner:
                rows.append((segment.keys[i], segment.values[i]))
    if not rows:
        state = timeline.state(frame.owner, frame.begin)
        rows = [(key, change.value) for key, change in state.items()]
    return {
        str(timeline.keys[key].key): value
        for key, value in rows
        if key >= FIRST_KEY and value != UNBOUND and key in timeline.keys
    }
