"""Sending breakpoints to the adapter, and passing its replies and later events on for merging.

DAP accepts only whole lists: those of a file (``setBreakpoints``), of all functions, of all
addresses, of all data breakpoints. Functions that the profile resolves to lines are sent with their
files.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tuidbg.adapters.languages import PYTHON
from tuidbg.dap.types import DapBreakpoint as AdapterBreakpoint
from tuidbg.session.core.breakpoints.binding.files import (
    Answers,
    FileLists,
    FileLoading,
    ListBinding,
    ProbeBinding,
    Resend,
    TemporaryStops,
    find_refusal,
    listed_files_of,
    take_change,
)
from tuidbg.session.core.breakpoints.kinds.locations import FunctionBinding, send_addresses
from tuidbg.session.core.breakpoints.store import POST_MORTEM, KnownBreakpoints, pending
from tuidbg.session.model.state import Breakpoint, BreakpointKind

if TYPE_CHECKING:
    from tuidbg.session.core.breakpoints.binding.locations import NativePlaces
    from tuidbg.session.core.breakpoints.kinds.data import DataBinding
    from tuidbg.session.core.session import Session

_LARGEST = 2_000_000
"""Bytes of the largest source that is searched."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class RayTask(NamedTuple):
    """A function or a class (``is_actor``) that Ray runs in a separate worker."""

    name: str
    is_actor: bool

    @property
    def sentence(self) -> str:
        """Return which breakpoints are not reached, and the remedy."""
        told = f"Ray runs {self.name} in a worker of its own, where no breakpoint is reached"
        here = "" if self.is_actor else f"call {self.name}._function(...) to stop here, or "
        return f"{told}: {here}attach to that worker (tuidbg attach)"


def find_ray_task(path: str, line: int) -> RayTask | None:
    """Return the Ray task whose code contains a line; None for code the program runs itself."""
    return next((task for task in find_ray_tasks(path, [line])), None)


def find_ray_tasks(path: str, lines: Collection[int]) -> list[RayTask]:
    """Return the Ray tasks that contain some of these lines, in their order.

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
    """Return the module's names for ``ray`` and for ``ray.remote``."""
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
    """One warning per Ray function whose breakpoints are not reached."""

    def __init__(self, session: Session, known: KnownBreakpoints) -> None:
        self._session = session
        self._known = known
        self._told: set[tuple[str, str]] = set()

    def look(self, path: str) -> None:
        """Check a file whose breakpoints may have changed."""
        session = self._session
        if path.startswith("<") or session.plan.is_child:
            return  # reported by the program's own session
        if session.profile.language is PYTHON:
            session.spawn(self._look(path))

    async def _look(self, path: str) -> None:
        of_file = self._known.registry.of_file(path)
        lines = {b.line for b in of_file if b.kind is BreakpointKind.LINE and b.enabled}
        for task in await asyncio.to_thread(find_ray_tasks, path, lines) if lines else ():
            if (path, task.name) not in self._told:
                self._told.add((path, task.name))
                self._session.notify(task.sentence, "warning")


class BreakpointBinding:
    """The breakpoints of one session, on their way to its adapter and back."""

    def __init__(self, session: Session, known: KnownBreakpoints) -> None:
        self.data_so_far: DataBinding | None = None
        """The data breakpoints, if there ever was one."""
        self._session = session
        self._known = known
        self.numbers: dict[int, tuple[int, ...]] = {}
        """Our numbers by adapter id; several where the adapter accepts one breakpoint a line."""
        self.temporary = TemporaryStops()
        self.loading = FileLoading(session, known)
        self.probing = ProbeBinding(session, known)
        self._resend = Resend()
        self._files = FileLists(
            session,
            known,
            probing=self.probing,
            answers=Answers(session, known, self.loading, self.numbers),
            temporary=self.temporary,
            resend=self._resend,
        )
        self._lists = ListBinding(session, known, self.numbers, self._resend)
        self._ray = RayWorkers(session, known)
        self._functions = FunctionBinding(session, known, self._lists, self.temporary)

    @property
    def data(self) -> DataBinding:
        if self.data_so_far is None:
            from tuidbg.session.core.breakpoints.kinds.data import DataBinding

            self.data_so_far = DataBinding(self._session, self._known, self._synchronise_leaving)
        return self.data_so_far

    @cached_property
    def places(self) -> NativePlaces:
        """Return the resolved locations of breakpoints in native code."""
        from tuidbg.session.core.breakpoints.binding.locations import NativePlaces

        return NativePlaces(self._session, self._known, self.numbers)

    async def synchronise_all(self) -> None:
        """Send everything, as after the handshake."""
        registry = self._known.registry
        everything = list(registry)
        await self.resolve_functions(everything)
        files = self._files_of(everything) | set(self.temporary.lines)
        await self._session.facts.learn(files)
        await self.probing.put(list(registry))
        await asyncio.gather(*(self.synchronise(path) for path in files))
        kinds = {b.kind for b in everything}
        if self.temporary.functions:
            kinds.add(BreakpointKind.FUNCTION)
        await self._synchronise_others(kinds)

    async def synchronise_one(self, breakpoint: Breakpoint) -> None:
        """Send the lists that contain one breakpoint."""
        await self.synchronise_many([breakpoint])

    async def synchronise_many(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Send the lists of these new, changed or deleted breakpoints."""
        registry = self._known.registry
        if self._session.is_post_mortem:
            for each in breakpoints:
                if registry.look_up(each.number) == each:
                    self._known.publish(pending(each, POST_MORTEM), origin="session")
            return
        await self.resolve_functions(breakpoints)
        current = [b for each in breakpoints if (b := registry.look_up(each.number)) is not None]
        files = self._files_of([*breakpoints, *current])
        if len(files) > 1:
            await self._session.facts.learn(files)
            await self.probing.put([b for path in files for b in registry.of_file(path)])
        await asyncio.gather(*(self.synchronise(path) for path in files))
        await self._synchronise_others({b.kind for b in breakpoints})

    async def synchronise(self, path: str) -> None:
        """Send one file's whole list and merge the reply."""
        await self._files.synchronise(path)
        self._ray.look(path)

    def _files_of(self, breakpoints: Sequence[Breakpoint]) -> set[str]:
        profile = self._session.profile
        return {path for each in breakpoints for path in listed_files_of(each, profile)}

    async def _synchronise_others(self, kinds: set[BreakpointKind]) -> None:
        if BreakpointKind.EXCEPTION in kinds:
            await self._session.exceptions.synchronise()
        if BreakpointKind.FUNCTION in kinds:
            await self._functions.send()
        if BreakpointKind.ADDRESS in kinds:
            await self._send_addresses()
        if BreakpointKind.DATA in kinds:
            await self.data.send()
        if kinds - {BreakpointKind.EXCEPTION}:
            await self.places.refresh()

    async def _send_addresses(self) -> None:
        await send_addresses(self._session, self._known, self._lists, self.data)

    async def _synchronise_leaving(self) -> None:
        """Send the return addresses of functions with watched locals, which may have changed."""
        if self._session.profile.native is not None and (self.data.leaving or self.data.leave_ids):
            await self._send_addresses()

    async def resolve_functions(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Find the places of functions, which may have moved."""
        await self._functions.resolve(breakpoints)

    async def find_functions(self) -> None:
        """Retry functions that were not found, as more of the program's files are known now."""
        if self._session.profile.sources.finds_functions:
            functions = self._known.registry.of_kind(BreakpointKind.FUNCTION)
            await self.synchronise_many([each for each in functions if not each.places])

    def sends_condition(self, found: Breakpoint) -> bool:
        """True if the adapter was asked to evaluate its condition; else the session has to."""
        return self._files.sends_condition(found)

    def adapter_changed(self, reason: str, reported: AdapterBreakpoint) -> None:
        """Handle a DAP ``breakpoint`` event."""
        numbers = self.numbers.get(reported.id if reported.id is not None else -1, ())
        for number in numbers:
            if (found := self._known.registry.look_up(number)) is not None:
                self.places.note_changed()
                take_change(self._session, self._known, found, reason, reported, self.synchronise)

    def adapter_lost(self) -> None:
        """Drop the adapter's results: the adapter is gone."""
        self.numbers.clear()
        if self.data_so_far is not None:
            self.data_so_far.forget()
        self.temporary.forget()
        self.loading.forget()
        self._files.forget()
        self._resend.forget()

    # Temporary stops

    async def set_temporary(self, path: str, line: int) -> str:
        """Stop once at a line; return why that is impossible, or an empty string."""
        if problem := (await find_refusal(self._session, path, line))[0]:
            return problem
        self.temporary.lines[path] = line
        await self.synchronise(path)
        return "" if path in self.temporary.lines else f"line {line} can't break"

    async def clear_temporary(self) -> None:
        paths, has_functions = list(self.temporary.lines), bool(self.temporary.functions)
        self.temporary.forget()
        for path in paths:
            await self.synchronise(path)
        if has_functions:
            await self._synchronise_others({BreakpointKind.FUNCTION})
