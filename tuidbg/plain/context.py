"""The state shared by commands of the line mode: the session, and the selected frame."""

from __future__ import annotations

import ast
import asyncio
import re
import time
from collections.abc import Awaitable
from typing import Protocol

from tuidbg.adapters.program.blocked import READS, BlockedWatch
from tuidbg.config.launch import AttachPlan
from tuidbg.lines import split_lines
from tuidbg.recording.timeline import Moment, RecordedFrame
from tuidbg.session.core.connect.attaching import process_of
from tuidbg.session.core.control import Control
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.session import Session
from tuidbg.session.core.stack.stop_wording import word_stop
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import Breakpoint, BreakpointStatus, Frame, Place, Status

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


async def read_lines(session: Session, place: Place) -> list[str]:
    """Return the lines of a source; empty if unreadable."""
    if place.reference:
        try:
            text = await session.inspection.source_text(place.reference, place.path)
        except DebuggerError:
            return []
        return split_lines(text)
    found = await asyncio.to_thread(session.running_sources.text, place.path)
    return split_lines(found or "")


def function_at(lines: list[str], frame: Frame) -> tuple[int, int, list[str]]:
    """Return first and last line of the frame's function, and its parameter names.

    For a module, or an unknown function, the whole source.
    """
    whole = (1, max(len(lines), 1), list[str]())
    if frame.place is None or frame.name == "<module>":
        return whole
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return whole
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, _Function) and _first(node) <= frame.place.line <= _last(node)
    ]
    if not around:
        return whole
    found = max(around, key=lambda node: (node.lineno, node.col_offset))
    return _first(found), _last(found), _parameters(found.args)


def _first(node: _Function) -> int:
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _last(node: _Function) -> int:
    return node.end_lineno or node.lineno


def _parameters(args: ast.arguments) -> list[str]:
    names = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    return names + [arg.arg for arg in (args.vararg, args.kwarg) if arg is not None]


PATIENCE = 3.0
"""Seconds for a program to pause whose system state is not visible."""

_STANDING = 1.0
"""Seconds without activity in the system from which on a program counts as waiting."""

_MAIN = "MainThread"
_INPUT = re.compile(r"(?<![\w.])input\(")


async def waits_elsewhere(session: Session, pause_asked_at: float) -> bool:
    """Whether the program, which is to be paused, waits outside of Python.

    Returns False as soon as it is no longer running.
    """
    pid = process_of(session)
    standing = BlockedWatch(pid) if pid is not None else None
    while session.status is Status.RUNNING:
        if standing is not None and standing.look():
            return True
        if standing is None and time.monotonic() - pause_asked_at > PATIENCE:
            return True
        await asyncio.sleep(_STANDING / READS)
    return False


async def describe_wait(session: Session) -> str:
    """Describe where it waits, as far as the adapter reports that for a running program."""
    frame = await _main_frame(session)
    if frame is None or frame.place is None:
        return "attached, it runs no Python code just now"
    where = f"{frame.place.path}({frame.place.line}){frame.name}()"
    lines = await read_lines(session, frame.place)
    line = lines[frame.place.line - 1].strip() if frame.place.line <= len(lines) else ""
    if _INPUT.search(line):
        return f"attached, it waits in input(): {where}"
    return f"attached, it waits in {where}" + (f"\n-> {line}" if line else "")


async def _main_frame(session: Session) -> Frame | None:
    try:
        threads = await session.inspection.threads()
        main = next((t for t in threads if t.name == _MAIN), threads[0] if threads else None)
        frames = await session.inspection.running_stack(main.id) if main is not None else ()
    except DebuggerError:
        return None
    return frames[0] if frames else None


ORIGIN = "tui"
"""The origin of settings: the user, as on the screen, so that they are stored."""

_QUIET = 0.02
"""Seconds of silence that count as the end of the output."""

_LOOKS = 20
"""Maximum number of such waits, for endless output."""

_OVER = (Status.TERMINATED, Status.FAILED)


class CommandError(Exception):
    """An impossible command; ``str()`` is the reason, without a capital and a full stop."""


class Says(Protocol):
    """A receiver of messages."""

    def say(self, text: str) -> None:
        """Print a sentence, or several lines."""


class CommandContext:
    """One session, the selected thread and frame, and the pending work."""

    def __init__(self, session: Session, printer: Says) -> None:
        self.session = session
        self.control = Control(session)
        self.printer = printer
        self.thread_id = 0
        self.frame: Frame | None = None
        """The selected frame; None while the program runs."""
        self.moment: Moment | None = None
        """The selected recorded moment; None: the present."""
        self.question: tuple[str, RecordedFrame] | None = None
        """The last question about the recording, and its call."""
        self.marked: Moment | None = None
        """The recorded moment to compare with."""
        self.table: list[Moment | None] = []
        """The moments of the rows of the last table."""
        self.listed: tuple[str, int] | None = None
        """Path and next line of the last listing."""
        self.scripts: dict[int, list[str]] = {}
        """Commands to run at a breakpoint's stop, by its number."""
        self.due: list[str] = []
        """Commands to run now."""
        self.leaving = asyncio.Event()
        self._doing: asyncio.Future[object] | None = None
        self._shown: dict[int, str] = {}
        self._announced: int | None = None
        """The number of the stop before a pause that `c` waits for."""
        self._without_stack = 0

    def say(self, text: str) -> None:
        """Print a sentence, or several lines."""
        self.printer.say(text)

    def complain(self, text: str) -> None:
        """Print an error."""
        lines = split_lines(text.rstrip(".").strip()) or ["that did not work"]
        self.printer.say("\n".join(f"*** {line}" for line in lines))

    # Selection

    @property
    def listens(self) -> bool:
        """Whether the session only listens for programs."""
        return isinstance(self.session.plan, AttachPlan) and self.session.plan.listen

    def chosen(self) -> Frame:
        """Return the selected frame. Raises Refused."""
        self.must_be_stopped()
        if self.frame is None:
            raise CommandError("the debug adapter gives no stack here; `s`, `n` or `c` goes on")
        return self.frame

    def must_be_stopped(self) -> None:
        """Check for a stopped program or a recorded moment. Raises Refused."""
        session = self.session
        if session.status is Status.PAUSED or self.moment is not None:
            return
        if self.listens:
            raise CommandError("there are several programs; `job RANKS COMMAND` commands them")
        raise CommandError(
            {
                Status.RUNNING: "the program runs",
                Status.TERMINATED: "the program has ended; `run` starts it again",
                Status.FAILED: session.failure or "the program could not be started",
            }.get(session.status, "the program has not been started yet")
        )

    def choose(self, frame: Frame) -> None:
        self.frame, self.listed = frame, None

    @property
    def path(self) -> str:
        """The current file: the frame's, otherwise the program's."""
        if self.frame is not None and self.frame.place is not None:
            return self.frame.place.path
        return self.session.plan.first_source or self.session.facts.target_path

    async def show_frame(self, frame: Frame, mark: str = "> ") -> None:
        """Print a frame's location and line of source, like pdb."""
        if frame.place is None:
            self.say(f"{mark}{frame.name}()")
            return
        remark = f" ({frame.remark})" if frame.remark and frame.is_earlier else ""
        self.say(f"{mark}{frame.place.path}({frame.place.line}){frame.name}(){remark}")
        lines = await read_lines(self.session, frame.place)
        if 0 < frame.place.line <= len(lines):
            self.say(f"-> {lines[frame.place.line - 1].strip()}")

    # Execution

    async def resume(self, how: Resume) -> None:
        """Resume; return at the next stop or the end."""
        self.must_be_stopped()
        if self.moment is not None:
            from tuidbg.plain.commands.recording import go_forth

            await go_forth(self, how)
            return
        thread, self.frame = self.thread_id, None
        await self.go(
            self.session.execution.resume(how, thread_id=thread, origin=ORIGIN, queued=False)
        )

    async def go(self, work: Awaitable[object]) -> None:
        """Resume by ``work``, wait for the next stop, and show it."""
        before = self.session.stop_id
        await self.unless_leaving(work)
        await self._show_what_comes(before)

    async def wait(self) -> None:
        """Wait for the next stop or end of a running program, and show it."""
        await self._show_what_comes(self.session.stop_id)

    async def show_announced(self) -> bool:
        """Show the announced pause, which may have come unseen; False if none is awaited."""
        if self._announced is None or self.session.status in _OVER:
            return False
        await self._show_what_comes(self._announced)
        return True

    async def _show_what_comes(self, before: int) -> None:
        """Wait for a stop later than ``before``, or the end, and show it."""
        await self.until_still(before)
        await self.arrive()

    async def until_still(self, before: int) -> None:
        """Wait for a stop later than ``before``, the end, or our exit."""
        session = self.session
        await self.unless_leaving(
            session.events.wait_for(
                lambda: (
                    session.status in _OVER
                    or (session.status is Status.PAUSED and session.stop_id > before)
                )
            )
        )

    async def unless_leaving(self, work: Awaitable[object]) -> None:
        """Await ``work``, or abandon it when the user exits."""
        self._doing = doing = asyncio.ensure_future(work)
        leaving = asyncio.create_task(self.leaving.wait())
        try:
            await asyncio.wait((doing, leaving), return_when=asyncio.FIRST_COMPLETED)
            if doing.cancelled():
                raise CommandError("cancelled")
            if doing.done():
                doing.result()
        finally:
            self._doing = None
            doing.cancel()
            leaving.cancel()

    @property
    def is_waiting(self) -> bool:
        """Whether there is work that can be cancelled."""
        return self._doing is not None

    def call_off(self) -> bool:
        """Cancel the pending work; return False without any."""
        return self._doing is not None and self._doing.cancel()

    async def catch_up(self) -> None:
        """Show the program's output up to now."""
        if self.session.terminal is not None:
            self.session.terminal.catch_up()
            return
        # It comes through the adapter's launcher, which reads it a little after the stop.
        for _ in range(_LOOKS):
            version = self.session.output.version
            await asyncio.sleep(_QUIET)
            if version == self.session.output.version:
                return

    async def arrive(self) -> None:
        """Show the current stop and select its top frame."""
        self._announced = None
        self.frame = self.listed = self.moment = None
        outcome = await self.control.where()
        await self.catch_up()
        stop = outcome.stop
        if stop is None or self.leaving.is_set():
            return
        for line in word_stop(stop).lines:
            self.say(line)
        if stop.thread_id != self.thread_id:
            if self.thread_id:
                self.say(f"Thread {stop.thread_id}, {await self.thread_name(stop.thread_id)}.")
            self.thread_id = stop.thread_id
        if outcome.frame is not None:
            self.frame = outcome.frame
            await self.show_frame(outcome.frame)
            await self.show_displays()
        elif stop.id != self._without_stack:
            self._without_stack = stop.id
            self.say("The debug adapter gives no stack here.")
        self.due = [line for n in stop.hit_breakpoints for line in self.scripts.get(n, ())]

    async def begin(self) -> None:
        """Wait for the first stop; pause an attached program, unless it waits outside of Python."""
        session = self.session
        self.tell_refused()
        if self.listens:
            self.say("`job` lists the connected processes and their positions.")
        elif isinstance(session.plan, AttachPlan) and session.status is Status.RUNNING:
            await self.unless_leaving(self._pause_attached())
        elif session.status not in _OVER:
            is_there = session.status is Status.PAUSED  # stopped already at the start
            await self._show_what_comes(session.stop_id - is_there)
        elif isinstance(session.plan, AttachPlan) and session.plan.recording:
            from tuidbg.plain.commands.recording import to_present

            self.moment = None
            await to_present(self, "")

    def tell_refused(self) -> None:
        """Report breakpoints that can't be hit: the program runs past them."""
        for each in self.session.breakpoints.registry:
            if each.enabled and each.status is BreakpointStatus.REFUSED:
                place = f"{each.path}:{each.line}" if each.path else each.function
                self.complain(f"breakpoint {each.number} at {place}: {why_refused(each)}")

    async def _pause_attached(self) -> None:
        session = self.session
        before, now = session.stop_id, time.monotonic()
        await session.execution.pause(origin=ORIGIN)
        if await waits_elsewhere(session, now):
            self.say(await describe_wait(session))
            self.say("It is paused as soon as that returns; `c` waits for it.")
            self._announced = before
        else:
            await self._show_what_comes(before)

    async def thread_name(self, thread_id: int) -> str:
        """Return the name of a thread."""
        try:
            threads = await self.control.threads()
        except DebuggerError:
            threads = self.session.threads
        return next((t.name for t in threads if t.id == thread_id), "unknown")

    async def show_displays(self, *, everything: bool = False) -> None:
        """Show the displayed expressions: new and changed ones, or all."""
        if not len(self.session.watches) or self.frame is None:
            return
        for result in await self.session.watches.evaluate(self.frame.id):
            number, expression = result.watch.number, result.watch.expression
            value = result.variable.value if result.variable is not None else result.error
            if result.variable is None and not everything:
                continue  # it has no value here
            old = self._shown.get(number)
            if everything or value != old:
                was = f"  [old: {old}]" if old is not None and old != value else ""
                self.say(f"display {expression}: {value}{was}")
            if result.variable is not None:
                self._shown[number] = value


def why_refused(found: Breakpoint) -> str:
    """Return why a breakpoint can't be hit, and a line that could have one."""
    near = found.suggested_line
    more = f"; line {near} can" if near is not None else ""
    return f"{found.message.rstrip('.')}{more}"
