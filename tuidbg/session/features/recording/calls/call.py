"""A call as written in its source: the parameter names, the value named by a ``return``.

From the text alone, so that it works for every language with functions like ``name(parameters)``.
"""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.config.files import read_text
from tuidbg.lines import split_lines
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.sources.name_scopes import scopes_at
from tuidbg.session.core.stack.stop_wording import word_exception, word_stop
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.features.recording.calls.types import (
    CallRecording,
    LineEffect,
    Local,
    Phase,
    RecordingEnd,
)
from tuidbg.session.model.errors import DebuggerError, InvalidSessionState, InvalidSetting
from tuidbg.session.model.events import LogEntry, ProgramExited, StatusChanged, ThreadsChanged
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointStatus,
    Frame,
    Place,
    StateValue,
    Status,
    Stop,
    StopReason,
    Variable,
    VariableKind,
)

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


GRACE = 0.15
"""Seconds for a step under way to finish when the recording is cancelled."""

PATIENCE = 2.0
"""Seconds after which a pause request is given up."""

NO_PROGRAM = (Status.CREATED, Status.LAUNCHING, Status.TERMINATED, Status.FAILED)


class Over(Exception):
    """The end of a recording; ``sentence`` is the reason."""

    def __init__(self, ending: RecordingEnd, sentence: str) -> None:
        super().__init__(sentence)
        self.ending, self.sentence = ending, sentence


class CallStops:
    """Resuming the program to its next stop, any number of times."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._next: asyncio.Future[Stop | None] | None = None
        self.stop: Stop | None = None
        self.other: Stop | None = None
        """A stop of another thread that came while the program was already stopped."""
        self.thread = 0
        """The thread of the call; 0 before there is one."""
        self.is_at_stop = False
        """True if the program is stopped without a published stop."""
        self.has_moved = False
        self.called_off = RecordingEnd.NONE
        self.may_pause = True
        """True if it may be paused while the call is awaited: it was before."""
        session.events.subscribers.add(self._note)

    def close(self) -> None:
        """Stop waiting."""
        self._session.events.subscribers.remove(self._note)

    # Events

    def take(self, stop: Stop) -> bool:
        """Handle a stop; return whether the recording withholds it."""
        if self.is_at_stop and self.stop is not None:
            if stop.reason in (StopReason.BREAKPOINT, StopReason.EXCEPTION):
                self.other = stop
            self._session.stop_id = self.stop.id  # keeps requests made meanwhile from being stale
            return True
        if self._next is None or self._next.done():
            return False
        self.stand_at(stop)
        self._next.set_result(stop)
        return True

    def stand_at(self, stop: Stop) -> None:
        """Record the stop without publishing it."""
        self._session.stop = self.stop = stop
        self.is_at_stop = True

    def _note(self, entry: LogEntry) -> None:
        """Handle the end of the program or of the call's thread: no stop will come."""
        event = entry.event
        if isinstance(event, ThreadsChanged):
            is_end = self.thread != 0 and all(t.id != self.thread for t in event.threads)
        else:
            is_end = isinstance(event, ProgramExited) or (
                isinstance(event, StatusChanged) and event.status in NO_PROGRAM
            )
        if is_end and self._next is not None and not self._next.done():
            self._next.set_result(None)

    # Resuming

    def expect(self) -> None:
        """Prepare for the program to be resumed."""
        self._next = asyncio.get_running_loop().create_future()
        self.is_at_stop = False

    async def wait(self) -> Stop | None:
        """Wait for the expected stop; None if none will come. Raises Over."""
        assert self._next is not None
        self.has_moved = True
        if self.called_off:  # just before it was resumed
            self._session.spawn(self._interrupt(self._next))
        try:
            return await self._next
        finally:
            self._next = None

    async def step(self, how: Resume) -> Stop | None:
        """Make one step and return the stop after it. Raises Over, AdapterFailed."""
        try:
            await self._session.execution.go_quietly(how, self.thread, self.expect)
        except DebuggerError:
            self._next, self.is_at_stop = None, True  # it is still at the same place
            raise
        stop = await self.wait()
        if stop is not None and self.other is not None:
            self.stop = msgspec.structs.replace(self.other, id=stop.id)
        return self.stop if stop is not None else None

    # Cancelling

    def call_off(self, why: RecordingEnd) -> None:
        """End it at the next stop; a running program is asked to pause."""
        if self.called_off:
            return
        self.called_off = why
        if self._next is not None and not self._next.done():
            self._session.spawn(self._interrupt(self._next))

    async def _interrupt(self, stop: asyncio.Future[Stop | None]) -> None:
        if self.thread:
            await asyncio.wait([stop], timeout=GRACE)
        elif not self.may_pause:
            self._give_up(stop, "the program runs on, as it did before")
            return
        if stop.done():
            return
        try:
            await self._session.adapter.request("pause", {"threadId": self.thread or 1})
            await asyncio.wait([stop], timeout=PATIENCE)
        except AdapterError:
            pass
        self._give_up(stop, "the program runs on, and will pause as soon as it can")

    def _give_up(self, stop: asyncio.Future[Stop | None], sentence: str) -> None:
        if not stop.done():
            stop.set_exception(Over(self.called_off, sentence))


LONGEST_VALUE = 500
"""Characters kept of a value."""

MOST_LOCALS = 100

MOST_OPENED, MOST_FIELDS = 10, 20
"""The limits for opening structures that an adapter describes by type alone."""

UNTOLD = frozenset(
    {VariableKind.SPECIAL, VariableKind.MODULE, VariableKind.CALLABLE, VariableKind.CLASS}
)
"""These carry no data."""


class FrameSnapshot(msgspec.Struct):
    """The observed state of a frame: its locals, and the results of calls on its line, by name.

    ``more`` locals were not read.
    """

    locals: dict[str, Local]
    returned: dict[str, Local]
    more: int = 0


async def look_at(session: Session, frame: Frame) -> FrameSnapshot:
    """Read the locals of a frame. Raises DebuggerError."""
    look = FrameSnapshot({}, {})
    scopes = await session.values.look(frame.id, {"Locals": ChildrenRequest(count=MOST_LOCALS)})
    scope = next((scope for scope in scopes if scope.children is not None), None)
    if scope is None:
        return look
    nodes = scope.children or ()
    look.more = max(0, scope.total - len(nodes))
    left = MOST_OPENED if not session.values.is_inside else 0
    for node in nodes:
        variable = node.variable
        if left and variable.reference and not _tells_contents(variable):
            left -= 1
            await _open(session, variable, look)
        if variable.kind is VariableKind.RETURNED:
            look.returned[variable.name] = _local(variable)
        elif variable.kind not in UNTOLD and not is_group(variable.name, variable.value):
            look.locals[variable.name] = _local(variable)
    return look


def _tells_contents(variable: Variable) -> bool:
    return any(bracket in variable.value for bracket in "{[(\"'")


async def _open(session: Session, variable: Variable, look: FrameSnapshot) -> None:
    """Read the fields of a structure with an uninformative value, as locals of their own."""
    wanted = ChildrenRequest(count=MOST_FIELDS)
    nodes, _, _ = await session.values.children(variable.reference, wanted)
    for node in nodes[:MOST_FIELDS]:
        name = f"{variable.name}.{node.variable.name}"
        look.locals[name] = msgspec.structs.replace(_local(node.variable), name=name)


def _print_of(local: Local) -> tuple[str, ...]:
    return local.value, local.type, local.size


def is_group(name: str, value: str) -> bool:
    """True if it belongs to the language or the adapter: no user variable."""
    is_own = name.startswith("~") or (name.startswith("__") and name.endswith("__"))
    return is_own or (name.endswith(" variables") and not value)


def _local(variable: Variable) -> Local:
    value = cut_value(variable.value or variable.problem.value)
    return Local(name=variable.name, value=value, type=variable.type, size=variable.size)


def cut_value(value: str) -> str:
    """Return the part of a value that is kept."""
    return value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"


def compare(
    before: FrameSnapshot, after: FrameSnapshot, unset: set[str], assigned: Collection[str] = ()
) -> list[LineEffect]:
    """Return the differences: calls that returned, new and changed values, deleted ones.

    ``unset`` are locals not assigned yet, whatever memory held there; those assigned now are
    removed from it. ``assigned`` are those of them that are assigned now in any case.
    """
    found = [
        LineEffect(name=name, kind="returned", values=[local.value])
        for name, local in after.returned.items()
    ]
    for name, local in after.locals.items():
        known = before.locals.get(name)
        if known is None:
            found.append(LineEffect(name=name, kind="new", values=[local.value]))
        elif name in assigned or _print_of(known) != _print_of(local):
            kind, was = ("new", "") if name in unset else ("changed", known.value)
            unset.discard(name)
            found.append(LineEffect(name=name, kind=kind, before=was, values=[local.value]))
    found += [
        LineEffect(name=name, kind="gone", before=local.value, values=[])
        for name, local in before.locals.items()
        if name not in after.locals
    ]
    return found


HEADER_LINES = 40
"""Lines above a function's first line that may contain its name."""

_LONGEST_HEADER = 4_000
_NAME = re.compile(r"[^\W\d]\w*")
_RETURN = re.compile(r"\s*return\b\s*(?P<value>[^;]*?)\s*;?\s*(?:(?:#|//|/\*).*)?$")
_PLAIN = re.compile(
    r"[^\W\d]\w*|-?\d+(?:\.\d+)?|'[^'\\]*'|\"[^\"\\]*\"|None|True|False|nil|true|false"
)
_HEADING = re.compile(
    r"[^#/=]*?(?P<name>[^\W\d][\w:]*)\s*(?:\[[^]]*\])?\((?![^)]*\)\s*[^\W\d]\w*\()"
)
_OPENING, _CLOSING = "([{", ")]}"


class SourceText:
    """The lines of one source; empty if there is no such file."""

    def __init__(self, lines: Sequence[str] = ()) -> None:
        self._lines = lines

    @classmethod
    async def load(cls, path: str) -> SourceText:
        """Load a file, reading it in a thread."""
        try:
            text = await asyncio.to_thread(read_text, path, "utf-8", "replace")
        except (OSError, ValueError):
            return cls()
        return cls(split_lines(text))

    def line(self, number: int) -> str:
        """Return one line; empty if there is none."""
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""

    def parameters(self, function: str, line: int) -> tuple[str, ...]:
        """Return the names in the brackets after the function's name, at or above a line of it.

        Names of types are included; the caller knows which variables exist.
        """
        name = bare_name(function)
        if not name.isidentifier():
            return ()
        heading = re.compile(rf"(?<![\w.]){re.escape(name)}\s*(?:\[[^]]*\]|<[^>]*>)?\s*\(")
        for number in range(min(line, len(self._lines)), max(0, line - HEADER_LINES), -1):
            found = heading.search(self._lines[number - 1])
            if found is not None and not _is_call(self._lines[number - 1], found.start()):
                text = self._lines[number - 1]
                rest = text[found.end() :], *self._lines[number:line]
                _, bracket, receiver = text[: found.start()].partition("(")
                names = _names(receiver) if bracket else ()
                return (*names, *_names("\n".join(rest)[:_LONGEST_HEADER]))
        return ()

    def returns(self, line: int) -> str | None:
        """Return the text after the ``return`` on a line; None if there is none."""
        found = _RETURN.match(self.line(line))
        return found["value"] if found is not None else None

    def assigns(self, line: int, name: str) -> bool:
        """True if the text of a line assigns a variable."""
        return re.search(rf"(?<![\w.]){re.escape(name)}\s*:?=(?!=)", self.line(line)) is not None

    def returned_name(self, line: int) -> str:
        """Return the name or constant after ``return`` on a line; other expressions are unsure."""
        value = self.returns(line) or ""
        return value if _PLAIN.fullmatch(value) else ""


class NamedFunction(StateValue, frozen=True):
    """A function name, and its first line if known (else 0)."""

    name: str
    line: int = 0


def function_at(text: str, line: int) -> NamedFunction | None:
    """Return the function around a line of a source."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _function_above(split_lines(text), line)
    scopes = scopes_at(tree, line)
    inner = next((s for s in reversed(scopes) if not isinstance(s, ast.ClassDef)), None)
    if not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    first = inner.body[0]
    if (
        len(inner.body) > 1
        and isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
    ):
        first = inner.body[1]
    outer = scopes[1 : scopes.index(inner) + 1]
    return NamedFunction(
        name=".".join(s.name for s in outer if hasattr(s, "name")), line=_begin(first)
    )


def _begin(statement: ast.stmt) -> int:
    """Return the first line of a statement: of a definition its first decorator."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _function_above(lines: Sequence[str], line: int) -> NamedFunction | None:
    """Find the function in a language whose functions begin at the left margin."""
    for text in reversed(lines[:line]):
        if text[:1].strip() and not text.rstrip().endswith(";") and (found := _HEADING.match(text)):
            return NamedFunction(name=found["name"])
    return None


def bare_name(function: str) -> str:
    """Return the last part of a name: ``move`` of ``main.(*point).move``, ``a::move(int)``."""
    return re.split(r"[.:\s]+", re.sub(r"\([^()]*\)$", "", function))[-1]


def _is_call(text: str, start: int) -> bool:
    """True if a name with brackets is likely a call, not a definition."""
    before = text[:start].rstrip()
    return before.endswith(("=", "(", ",", "return", "+", "-", "/", "%", "<", ">", "!", "await"))


def _names(text: str) -> tuple[str, ...]:
    """Return the names of a parameter list, up to its closing bracket."""
    depth, names, is_value = 0, list[str](), False
    for part in re.finditer(r"[^\W\d]\w*|[(){}\[\]=,]", text):
        token = part[0]
        if token in _OPENING:
            depth += 1
        elif token in _CLOSING:
            depth -= 1
            if depth < 0:
                break
        elif token == "=":
            is_value = is_value or depth == 0
        elif token == ",":
            is_value = is_value and depth > 0
        elif not is_value and depth == 0:
            names.append(token)
    return tuple(dict.fromkeys(names))


class CallEntry:
    """The entry of a function to be recorded."""

    def __init__(self, session: Session, function: str, place: Place | None) -> None:
        """``place`` is its first line, if known; else it is searched by name."""
        self._session = session
        self.function = function
        self._place = place
        self._breakpoint: Breakpoint | None = None
        self._is_ours = False
        """True if the breakpoint was made for this, and is removed with it."""

    async def set(self, origin: str) -> None:
        """Stop there. Raises InvalidSetting if there is nothing of that name."""
        breakpoints = self._session.breakpoints
        if breakpoints.muted:
            raise DebuggerError(
                f"breakpoints are muted, so nothing stops at {self.function}; unmute them first"
            )
        known = breakpoints.registry.find_function(self.function) if self._place is None else None
        if known is not None and _stops_always(known):
            self._breakpoint = known
            return
        self._is_ours = True
        path, line = (self._place.path, self._place.line) if self._place is not None else ("", 0)
        found = await breakpoints.set_entry(self.function, origin=origin, path=path, line=line)
        self._breakpoint = found
        if found.status is BreakpointStatus.REFUSED:
            raise InvalidSetting("function", found.message)
        if self._session.profile.sources.finds_functions and not found.places:
            raise InvalidSetting("function", f"{found.message}; name it as module.function")

    async def wait(self, gate: CallStops, origin: str) -> Stop | None:
        """Let the program run until it stops; None if it ended. Raises Over."""
        session = self._session
        if session.status not in (Status.PAUSED, Status.RUNNING):
            raise InvalidSessionState("record a call", session.status)
        gate.expect()
        if session.status is Status.PAUSED:
            await session.execution.resume(Resume.CONTINUE, origin=origin, queued=False)
        return await gate.wait()

    def is_hit(self, stop: Stop) -> bool:
        """True if the program stopped because of this breakpoint."""
        return self.number in stop.hit_breakpoints

    @property
    def number(self) -> int:
        """Return the number of its breakpoint."""
        return self._breakpoint.number if self._breakpoint is not None else 0

    @property
    def obstacle(self) -> str:
        """Return why it may never be reached; empty if nothing is known."""
        return self._breakpoint.message if self._breakpoint is not None else ""

    async def remove(self) -> None:
        """Remove the breakpoint."""
        breakpoints = self._session.breakpoints
        if not self._is_ours:
            return
        self._is_ours = False
        if breakpoints.registry.look_up(self.number) is not None:
            await breakpoints.remove(self.number, origin="session", undo=False)


def _stops_always(found: Breakpoint) -> bool:
    is_plain = not (found.condition or found.hit_condition or found.ignore_count or found.trigger)
    return is_plain and found.enabled and found.stops and found.status is BreakpointStatus.SET


WHOLE_STACK = 1_000
"""Frames searched to find a call again."""


class FunctionFirstLine(msgspec.Struct):
    """The facts from inside the program: the function's first line and its kind."""

    line: int = 0
    kind: str = ""


class RecordedCall:
    """The call at the top of a thread's stack."""

    def __init__(self, session: Session, thread: int, frames: tuple[Frame, ...]) -> None:
        self._session = session
        self._thread = thread
        self.top = frames[0]
        self._depth = len(frames)
        self._caller_id = frames[1].id if len(frames) > 1 else 0
        self._is_recursive = any(_same_function(frame, self.top) for frame in frames[1:])
        self._is_held = False

    async def hold(self) -> FunctionFirstLine:
        """Keep its frame, if possible; return the facts about it."""
        inside = self._session.inside
        if not inside.is_possible or self.top.name.startswith("<module"):
            return FunctionFirstLine()
        try:
            await inside.load("base", "writing", "showing", "values")
            held = await inside.ask("calls", "hold", FunctionFirstLine, frame_id=self.top.id)
        except DebuggerError:
            return FunctionFirstLine()
        self._is_held = True
        return held

    async def release(self) -> str:
        """Release the frame; return the exception that left it, if any."""
        if not self._is_held:
            return ""
        self._is_held = False
        try:
            frames, _ = await self._session.inspection.stack(self._thread, 0, 1)
            frame_id = frames[0].id if frames else None
            return await self._session.inside.ask("calls", "release", str, frame_id=frame_id)
        except DebuggerError:
            return ""

    async def frames(self, *, whole: bool = False) -> tuple[Frame, ...]:
        """Return the stack, as much of it as is needed to locate the program."""
        whole = whole or (self._is_recursive and not self._is_held)
        levels = WHOLE_STACK if whole else 1
        frames, _ = await self._session.inspection.stack(self._thread, 0, levels)
        self._session.frames = frames
        return frames

    def is_top(self, frames: tuple[Frame, ...]) -> bool:
        """True if the program is stopped in it."""
        if not frames:
            return False
        if self._is_held:
            return frames[0].id == self.top.id
        is_same = frames[0].name == self.top.name
        return is_same and (not self._is_recursive or len(frames) == self._depth)

    def is_below(self, frames: tuple[Frame, ...]) -> bool:
        """True if it is still active below another call; needs the whole stack."""
        if self._is_held:
            return any(frame.id == self.top.id for frame in frames)
        index = len(frames) - self._depth
        return 0 < index < len(frames) and frames[index].name == self.top.name

    async def returned(self, frames: tuple[Frame, ...]) -> Local | None:
        """Return its value, if the adapter lists it among its caller's locals."""
        known = self._caller_id if self._session.inside.is_possible else 0
        callers = [frame for frame in frames[:3] if frame.id == known] or list(frames[:1])
        for frame in callers:
            try:
                found = (await look_at(self._session, frame)).returned
            except DebuggerError:
                continue
            for name in (f"{bare_name(self.top.name)}() returned", "the call returned"):
                if (value := found.get(name)) is not None:
                    return value
        return None


def is_named(frame: Frame, function: str) -> bool:
    """True if a frame is of that function, as far as a frame contains its name."""
    if "." in function or ":" in function:
        return frame.name.partition("(")[0] == function
    return bare_name(frame.name) == function


def _same_function(frame: Frame, other: Frame) -> bool:
    path = other.place.path if other.place is not None else ""
    return frame.name == other.name and (frame.place is None or frame.place.path == path)


_UNHANDLED = ("unhandled", "userUnhandled")
"""DAP's names for uncaught exceptions."""

_CONSTANTS = ("None", "True", "False", "nil", "true", "false")
"""The constants that look like names."""


def called_off(recording: CallRecording, why: RecordingEnd, seconds: float) -> Over:
    """Describe a cancelled or timed out recording."""
    if why is not RecordingEnd.TIME:
        return Over(why, "cancelled; the program is still at the same place")
    if recording.phase is Phase.WAITING:
        return Over(why, f"{recording.function} was not called within {seconds:g} s")
    return Over(why, f"the call was not over within {seconds:g} s; the program is stopped in it")


def stopped_elsewhere(stop: Stop, where: str) -> Over:
    """Describe a stop with nothing to record."""
    return Over(RecordingEnd.STOPPED, f"{word_stop(stop).cause} stopped the program {where}")


async def stopped_inside(
    session: Session, recording: CallRecording, stop: Stop, frame: Frame
) -> Over:
    """Describe a stop before the end of the call."""
    told = word_stop(stop)
    why = told.cause
    if stop.reason is StopReason.EXCEPTION:
        try:
            exception = await session.inspection.exception(stop.thread_id)
        except DebuggerError:
            pass
        else:
            why = word_exception(exception)
            recording.exception = why
            if exception.break_mode in _UNHANDLED:
                return Over(RecordingEnd.RAISED, f"raised {why}, which is not caught")
    line = frame.place.line if frame.place is not None else recording.line
    way = f"; disable breakpoint {told.hits} to record on" if told.hits else ""
    where = f"in {frame.name} at line {line}"
    return Over(
        RecordingEnd.STOPPED, f"{why} stopped the program {where} before the call was over{way}"
    )


async def left(
    recording: CallRecording,
    call: RecordedCall,
    frames: tuple[Frame, ...],
    source: SourceText,
    last: FrameSnapshot,
) -> Over:
    """Describe the end of the call; ``last`` are its locals before its last line."""
    if exception := await call.release():
        recording.exception = exception
        return Over(RecordingEnd.RAISED, f"raised {exception}")
    if recording.returned is None and recording.kind in ("", "generator"):
        recording.returned = await call.returned(frames)
    if recording.returned is None:
        _read_value(recording, source, last)
    if recording.returned is not None:
        return Over(RecordingEnd.RETURNED, f"returned {recording.returned.value}")
    is_value = bool(source.returns(recording.line))
    what = "; this debug adapter does not report the value" if is_value else ""
    return Over(RecordingEnd.RETURNED, f"returned{what}")


def gone(
    session: Session, recording: CallRecording, source: SourceText, last: FrameSnapshot
) -> Over:
    """Describe the end of the program, or the thread, in the call or just after it."""
    exit_ = session.exit
    is_thread = session.status is Status.RUNNING and exit_ is None
    code = f" with exit code {exit_.code}" if exit_ is not None and exit_.code else ""
    waited = f" while the {recording.kind} waited" if recording.kind else ""
    is_known = recording.returned is not None
    if not (is_known or code or waited) and source.returns(recording.line) is not None:
        _read_value(recording, source, last)
    what = "its thread" if is_thread else "the program"
    runs = "; the program runs on" if is_thread else ""
    return Over(RecordingEnd.ENDED, f"{what} ended{code}{waited} after line {recording.line}{runs}")


def _read_value(recording: CallRecording, source: SourceText, last: FrameSnapshot) -> None:
    """Derive the returned value from the last line's ``return``: a local, a constant."""
    name = source.returned_name(recording.line)
    if not name or recording.is_cut_short:
        return
    found = last.locals.get(name)
    if found is None and (not name.isidentifier() or name in _CONSTANTS):
        found = Local(name="", value=name)
    recording.returned, recording.is_read = found, found is not None
