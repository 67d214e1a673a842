"""Operations that read a stopped program, and the place that a short text names."""

from __future__ import annotations

import ast
import difflib
import re
from pathlib import Path

import msgspec

from tuidbg.adapters.native import SymbolQuestions
from tuidbg.config.files import read_text
from tuidbg.lines import split_lines
from tuidbg.session.core.evaluation.prompt import EVALUATE_LIMIT, EvaluationContext, ask
from tuidbg.session.core.values.variables import MOST, ChildKind, ChildPage, read_part
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import Frame, Status, Stop, ThreadState, Variable


class Threads(msgspec.Struct, frozen=True):
    """The threads of a program; ``stop`` is None while it runs."""

    threads: tuple[ThreadState, ...]
    stop: Stop | None


async def list_threads(member: HubSession) -> Threads:
    """List the threads, also while the program runs. Raises InvalidSessionState."""
    threads = await member.control.threads()
    return Threads(threads, current_stop(member))


def current_stop(member: HubSession) -> Stop | None:
    """Return the current stop; None while the program runs."""
    return member.session.stop if member.session.status is Status.PAUSED else None


class StackPage(msgspec.Struct, frozen=True):
    """Some frames of a thread; ``total`` counts all, as far as the adapter knows."""

    thread_id: int
    frames: tuple[Frame, ...]
    total: int


async def read_stack(
    member: HubSession, thread_id: int | None = None, start: int = 0, *, count: int
) -> StackPage:
    """Read frames of a thread, by default of the stopped one. Raises as ``Control.thread``."""
    thread = await member.control.thread(thread_id)
    return StackPage(thread, *await member.session.inspection.stack(thread, start, count))


async def read_variables(
    member: HubSession,
    reference: int,
    part: ChildKind = ChildKind.ALL,
    start: int = 0,
    count: int = MOST,
) -> ChildPage:
    """Read the children of a scope or variable. Raises InvalidSessionState, VariableNotFound."""
    member.control.must_stand("look inside")
    return await read_part(member.session.values, reference, part, start, count)


async def evaluate(
    member: HubSession,
    expression: str,
    *,
    frame_index: int = 0,
    thread_id: int | None = None,
    context: EvaluationContext = EvaluationContext.REPL,
    limit: float = EVALUATE_LIMIT,
) -> Variable:
    """Evaluate an expression in a frame. Raises as ``Control.frame`` and ``ask``."""
    frame = await member.control.frame(frame_index, thread_id=thread_id)
    return await ask(member.session, expression, frame.id, context, limit=limit)


async def run_command(member: HubSession, symbols: SymbolQuestions, command: str) -> str:
    """Run a command of the native debugger and return its output. Raises AdapterError."""
    session = member.session
    frame = session.frames[0].id if current_stop(member) and session.frames else None
    return await symbols.run_command(session.adapter.request, command, frame)


_LINE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?:\s+if\s+(?P<condition>.+))?")
_FUNCTION = re.compile(r"(?P<function>[^\W\d]\w*(?:\.[^\W\d]\w*)*)(?:\s+if\s+(?P<condition>.+))?")

MOST_NAMED = 5
"""Maximum number of lines listed for an ambiguous text."""

MOST_QUOTED = 80
"""Maximum characters of each of them."""


class BreakpointPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a file, or a function; ``condition`` is empty for an unconditional breakpoint."""

    path: str = ""
    line: int = 0
    function: str = ""
    condition: str = ""


class PlaceNotFound(DebuggerError):
    """A text with no matching place, or several. ``near`` lists candidates."""

    def __init__(self, message: str, near: str = "") -> None:
        super().__init__(message)
        self.near = near


def find_place(text: str, cwd: str) -> BreakpointPlace:
    """Parse ``FILE:LINE``, ``FILE:STATEMENT`` or a function's name. Raises PlaceNotFound.

    A line and a function may be followed by ``if CONDITION``.
    """
    text = text.strip()
    if found := _LINE.fullmatch(text):
        path = _find_file(found["file"], cwd)
        return BreakpointPlace(
            path=path, line=int(found["line"]), condition=found["condition"] or ""
        )
    if found := _FUNCTION.fullmatch(text):
        return BreakpointPlace(function=found["function"], condition=found["condition"] or "")
    file, colon, statement = text.partition(":")
    if not colon or not statement.strip():
        raise PlaceNotFound(f"{text!r} names no place", "FILE:LINE, FILE:STATEMENT or a function")
    path = _find_file(file, cwd)
    return BreakpointPlace(path=path, line=_find_statement(path, statement.strip()))


def _find_file(name: str, cwd: str) -> str:
    path = Path(cwd, name.strip()).expanduser()
    if not path.is_file():
        raise PlaceNotFound(f"there is no file {path}")
    return str(path)


def _find_statement(path: str, statement: str) -> int:
    """Find the line that equals the statement, otherwise the only one that contains it.

    If several do, comments and docstrings don't count.
    """
    text = read_text(path, errors="replace")
    lines = [line.strip() for line in split_lines(text)]
    same = [number for number, line in enumerate(lines, 1) if line == statement]
    found = same or [number for number, line in enumerate(lines, 1) if statement in line]
    if len(found) > 1:
        silent = _silent_lines(text)
        found = [number for number in found if number not in silent] or found
    if len(found) == 1:
        return found[0]
    if found:
        named = "; ".join(f"{n}: {lines[n - 1][:MOST_QUOTED]}" for n in found[:MOST_NAMED])
        raise PlaceNotFound(f"{len(found)} lines have {statement!r}", f"name one: {named}")
    near = difflib.get_close_matches(statement, lines, 1, 0.5)
    hint = f"nearest: line {lines.index(near[0]) + 1}: {near[0]}" if near else ""
    raise PlaceNotFound(f"no line has {statement!r}", hint)


def _silent_lines(text: str) -> set[int]:
    """Return the lines of comments and of bare strings such as docstrings."""
    silent = {n for n, line in enumerate(split_lines(text), 1) if line.lstrip().startswith("#")}
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return silent
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            silent.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return silent
