"""Finds breakpoints in what Ray runs in its own workers, where they are not reached.

``@ray.remote`` hands a function or a class over to Ray, whose raylet (no Python, and often on
another machine) starts the processes that run it: they are no children that pydevd sees beginning.
The source tells which lines that are; nothing of Ray's is imported or asked for that.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from tuidbg.adapters.languages import PYTHON
from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.needs import BreakpointsSession
from tuidbg.session.state import BreakpointKind

_LARGEST = 2_000_000
"""Bytes of a source that is looked into."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class RayTask(NamedTuple):
    """A function or a class (``is_actor``) that Ray runs in a worker of its own."""

    name: str
    is_actor: bool

    @property
    def sentence(self) -> str:
        """Says what is not reached, and what to do."""
        told = f"Ray runs {self.name} in a worker of its own, where no breakpoint is reached"
        here = "" if self.is_actor else f"call {self.name}._function(...) to stop here, or "
        return f"{told}: {here}attach to that worker (tuidbg attach)"


def find_ray_task(path: str, line: int) -> RayTask | None:
    """The task of Ray's to whose code a line belongs; None for what the program runs itself."""
    return next((task for task in find_ray_tasks(path, [line])), None)


def find_ray_tasks(path: str, lines: Collection[int]) -> list[RayTask]:
    """The tasks of Ray's that have some of these lines, in their order.

    The lines of the decorator and of ``def`` are the program's. Blocks for a moment.
    """
    try:
        data = Path(path).read_bytes()
        if len(data) > _LARGEST or b"ray" not in data or b"remote" not in data:
            return []
        tree = ast.parse(data)
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    modules, decorators = _names_of_ray(tree)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, _Function | ast.ClassDef) and any(
            _is_remote(each, modules, decorators) for each in node.decorator_list
        ):
            is_actor = isinstance(node, ast.ClassDef)
            functions = _methods(node) if isinstance(node, ast.ClassDef) else iter((node,))
            if any(_is_in_body(each, line) for each in functions for line in lines):
                found.append(RayTask(node.name, is_actor))
    return found


def _names_of_ray(tree: ast.Module) -> tuple[set[str], set[str]]:
    """Tells what the module calls ``ray``, and what it calls ``ray.remote``."""
    modules: set[str] = set()
    decorators: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {each.asname or each.name for each in node.names if each.name == "ray"}
        elif isinstance(node, ast.ImportFrom) and node.module == "ray" and not node.level:
            decorators |= {e.asname or e.name for e in node.names if e.name == "remote"}
    return modules, decorators


def _is_remote(decorator: ast.expr, modules: set[str], decorators: set[str]) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        return called.attr == "remote" and called.value.id in modules
    return isinstance(called, ast.Name) and called.id in decorators


def _methods(node: ast.ClassDef) -> Iterator[_Function]:
    return (each for each in node.body if isinstance(each, _Function))


def _is_in_body(function: _Function, line: int) -> bool:
    return function.body[0].lineno <= line <= (function.end_lineno or 0)


class RayWorkers:
    """Tells a person once of each such function that a breakpoint in it is not reached."""

    def __init__(self, session: BreakpointsSession, known: KnownBreakpoints) -> None:
        self._session = session
        self._known = known
        self._told: set[tuple[str, str]] = set()

    def look(self, path: str) -> None:
        """The breakpoints of a file may be others now."""
        session = self._session
        if path.startswith("<") or session.plan.is_child:
            return  # the program's own session tells it
        if session.profile.language is PYTHON:
            session.spawn(self._look(path))

    async def _look(self, path: str) -> None:
        of_file = self._known.registry.of_file(path)
        lines = {b.line for b in of_file if b.kind is BreakpointKind.LINE and b.enabled}
        for task in await asyncio.to_thread(find_ray_tasks, path, lines) if lines else ():
            if (path, task.name) not in self._told:
                self._told.add((path, task.name))
                self._session.notify(task.sentence, "warning")
