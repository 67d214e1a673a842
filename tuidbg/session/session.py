"""One debug session: what is true of it now, and the parts that act on it.

The session holds the state and hands work to its parts, a noun each: ``lifecycle``,
``breakpoints``, ``execution``, ``inspection``. Front ends call those parts, follow ``events`` and
read the state; they hold no truth of their own.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Coroutine, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tuidbg.adapters.client import DEFAULT_TIMEOUT, AdapterClient, DapLog
from tuidbg.adapters.errors import AdapterError, AdapterGone
from tuidbg.adapters.languages import PYTHON, Language, language_of
from tuidbg.adapters.process import AdapterProcess, Guard, Launch
from tuidbg.adapters.profile import AdapterProfile, Line, SourceFacts, SourceProblem, TerminalWay
from tuidbg.adapters.program.terminal import ProgramTerminal
from tuidbg.adapters.starting import start_by_tcp
from tuidbg.adapters.table import find_profile
from tuidbg.config.launch import AttachPlan, Plan
from tuidbg.config.stamps import file_stamp
from tuidbg.dap.messages import Request
from tuidbg.dap.types import Capabilities, EvaluateBody, Nothing
from tuidbg.session.breakpoints.breakpoints import Breakpoints
from tuidbg.session.breakpoints.kinds.exceptions import Exceptions
from tuidbg.session.errors import AdapterFailed, DebuggerError, UnsupportedByAdapter
from tuidbg.session.evaluation.implicit_resume import Interlude
from tuidbg.session.evaluation.inside import InsideLink
from tuidbg.session.evaluation.own_questions import own_question
from tuidbg.session.events import (
    Continued,
    EventLog,
    NoticeGiven,
    OutputProduced,
    SessionEvent,
    SourcesChanged,
    StatusChanged,
    Stopped,
    TraceProduced,
    WaitingChanged,
)
from tuidbg.session.execution import Execution
from tuidbg.session.family.detach import forget_children
from tuidbg.session.history.timeline import History
from tuidbg.session.hits.decisions import HitFilter
from tuidbg.session.hits.probe import ProbeLink
from tuidbg.session.hits.trace import TraceLog
from tuidbg.session.lifecycle import Lifecycle
from tuidbg.session.output import OutputBuffer
from tuidbg.session.reactions import look_around, react
from tuidbg.session.sources.rules import Sources
from tuidbg.session.sources.running import RunningSources
from tuidbg.session.stack.inspection import Inspection
from tuidbg.session.state import ExitState, Frame, Place, Status, Stop, ThreadState
from tuidbg.session.stepping import Stepping
from tuidbg.session.terminal.program_place import ProgramPlace
from tuidbg.session.terminal.program_screen import ProgramScreen

if TYPE_CHECKING:
    from tuidbg.adapters.program.exit_status import ExitStatus
    from tuidbg.session.autopsy.autopsy import Autopsy
    from tuidbg.session.breakpoints.value_breakpoints import Changes
    from tuidbg.session.connect.listening import Listener
    from tuidbg.session.connect.root_session import RootLine
    from tuidbg.session.connect.tunnel import Tunnel
    from tuidbg.session.doctor.doctor import Doctor
    from tuidbg.session.evaluation.prompt import Evaluation
    from tuidbg.session.family.children import Children
    from tuidbg.session.family.family import Family
    from tuidbg.session.feed.feed import Feed
    from tuidbg.session.native.disassembly import Disassembly
    from tuidbg.session.native.memory import Memory
    from tuidbg.session.native.registers import Registers
    from tuidbg.session.project.autorestart import AutoRestart
    from tuidbg.session.recording.recorder import Recorder
    from tuidbg.session.recording.recordings import Lifetimes
    from tuidbg.session.sources.definitions import Definitions
    from tuidbg.session.sources.modules import Modules
    from tuidbg.session.sources.remote import RemoteSources
    from tuidbg.session.stack.tasks import Tasks
    from tuidbg.session.values.tables import Tables
    from tuidbg.session.values.variables import Values
    from tuidbg.session.values.watches import Watches

T = TypeVar("T")

_OUTPUT_INTERVAL = 0.03
"""Seconds between two events that tell of new output; the buffer itself is always up to date."""

_TASK_GRACE = 0.1
"""Seconds that cancelled tasks get at the end."""


class Session:
    """One program under a debugger. All methods belong to the loop's thread."""

    def __init__(
        self,
        plan: Plan,
        profile: AdapterProfile,
        guard: Guard,
        *,
        dap_log: DapLog | None = None,
    ) -> None:
        self.plan: Plan = plan
        self.profile = profile
        self.guard = guard
        self.events = EventLog()
        self.listeners: list[Callable[[SessionEvent], None]] = []
        """Called with each event as it is published; they return at once."""
        self.output = OutputBuffer()
        self.output_listeners: list[Callable[[str, str | bytes], None]] = []
        """Called with each category and piece of output as it comes; they return at once."""
        self.feed: Feed | None = None
        """What programs read; there is none until some program may."""
        self.family: Family | None = None
        """The processes that belong together; none until the program starts another one."""
        self.trace = TraceLog()
        self.probe = ProbeLink(self)
        self.breakpoints = Breakpoints(self)
        self.exceptions = Exceptions(self)
        self.hits = HitFilter(self)
        self.history = History(self)
        self.sources = Sources(just_my_code=plan.just_my_code)
        self.execution = Execution(self)
        self.stepping = Stepping(self)
        self.inspection = Inspection(self)
        self.inside = InsideLink(self)
        self.lifecycle = Lifecycle(self)
        self.interlude = Interlude(profile.patience_with_variables)

        self.status = Status.CREATED
        self.failure = ""
        self.source_problem: SourceProblem | None = None
        """What in a source kept the program from being started, if that is known."""
        self.stop_id: int = 0
        self.stop: Stop | None = None
        self.frames: tuple[Frame, ...] = ()
        self.stack_of = 0
        """The stop whose stack ``frames`` is."""
        self.threads: tuple[ThreadState, ...] = ()
        self.threads_changed = True
        self.exit: ExitState | None = None
        self.pid: int | None = None
        self.exit_status: ExitStatus | None = None
        """Follows how the program ends, where its adapter does not tell."""
        self.is_configurable = False
        self.restarts_on_change = False
        self.client: AdapterClient | None = None
        self.root_line: RootLine | None = None
        """The conversation behind that of the program, with an adapter that has one."""
        self.launch: Launch | None = None
        self.guarded_by: Launch | None = None
        """Of a process that a launched program has started: that launch."""
        self.terminal: ProgramTerminal | None = None
        self.program_screen = ProgramScreen()
        self.program_place = ProgramPlace(self)
        self.terminal_size = (80, 24)
        self.recorder: Recorder | None = None
        """Records a call of a function just now; mostly nothing does."""
        self.waiting = ""
        """What is waited for, in words: a program that is not up, or not up again."""
        self.tunnel: Tunnel | None = None

        self.dap_log: DapLog | None = dap_log
        self._tasks: set[asyncio.Task[Any]] = set()
        self._target: asyncio.Task[SourceFacts] | None = None
        self.running_sources = RunningSources(self)
        self._facts: dict[str, tuple[tuple[int, int], SourceFacts]] = {}
        self._stamps: dict[str, tuple[int, int]] = {}
        self._trace_timer: asyncio.TimerHandle | None = None
        self._output_told = 0.0
        self._output_timer: asyncio.TimerHandle | None = None
        self._changed = asyncio.Condition()

    # State and events

    def publish(self, event: SessionEvent, origin: str = "session") -> None:
        """Append to the event log."""
        entry = self.events.append(event, origin)
        if self.feed is not None:
            self.feed.note(entry)
        self.history.note(event)
        if self.family is not None:
            self.family.note(self, entry)
        for listener in self.listeners:
            listener(event)

    def move_to(self, status: Status, reason: str = "") -> None:
        """Change the status and tell."""
        if status is not self.status:
            self.status = status
            self.publish(StatusChanged(status=status, reason=reason))

    @property
    def is_still(self) -> bool:
        """Whether the program stands, be it only between two steps of a recording."""
        if self.status is Status.PAUSED:
            return True
        return self.recorder is not None and self.recorder.is_at_stop

    def note_stopped(self, stop: Stop) -> None:
        """The program stands still at ``stop``."""
        self.stop = stop
        self.status = Status.PAUSED
        self.publish(Stopped(stop=stop), "adapter")

    def note_resumed(self, *, stepping: bool, origin: str, how: str = "") -> None:
        """The program runs: what was known of the last stop is stale from now on."""
        self.status = Status.RUNNING
        self.publish(Continued(stepping=stepping, how=how), origin)

    def note_not_resumed(self, stop: Stop) -> None:
        """The adapter would not let the program go on from ``stop``: it stands there still."""
        if self.status is Status.RUNNING and self.stop is stop:
            self.note_stopped(stop)
            self.spawn(look_around(self, stop))

    def note_ended(self) -> None:
        """There is no program any more; what was asked for stays."""
        self.is_configurable = False
        self.stop_id += 1
        self.stop = None
        self.frames = ()
        self.threads = ()
        self.pid = None
        if self.exit_status is not None:
            self.exit_status.close()
            self.exit_status = None
        self.execution.reset()
        self.stepping.reset()
        self.interlude.reset()
        self.probe.reset()
        self.inside.reset()
        self.hits.tally.tell_counts()
        self.breakpoints.adapter_lost()

    def note_waiting(self, text: str) -> None:
        """Something is waited for, or (with no words) no more."""
        if text != self.waiting:
            self.waiting = text
            self.publish(WaitingChanged(text=text))

    def notify(self, text: str, severity: str = "information", *, quotes: bool = False) -> None:
        """Tell the person something; it stands in the console as well. See ``NoticeGiven``."""
        self.write_output("console" if severity == "information" else "important", text + "\n")
        self.publish(NoticeGiven(text=text, severity=severity, quotes=quotes))

    def write_output(
        self,
        category: str,
        text: str | bytes,
        place: Place | None = None,
        *,
        is_piece: bool = False,
    ) -> None:
        """Add output; readers are told at most every few hundredths of a second.

        ``place`` is where it was written, if that is known. ``is_piece``: it may be part of a line
        whose rest comes next.
        """
        self.output.feed(category, text)
        for listener in self.output_listeners:
            listener(category, text)
        if self.feed is not None:
            note = self.feed.note_written if is_piece else self.feed.note_output
            note(category, text, place)
        self._tell_output_soon()

    def write_private(self, line: str) -> None:
        """Show the person a line that programs must not read: a token, say."""
        self.output.add("private", line)
        self._tell_output_soon()

    def _tell_output_soon(self) -> None:
        if self._output_timer is None:
            wait = self._output_told + _OUTPUT_INTERVAL - time.monotonic()
            loop = asyncio.get_running_loop()
            self._output_timer = loop.call_later(max(wait, 0.0), self._tell_output)

    def _tell_output(self) -> None:
        self._output_timer = None
        self._output_told = time.monotonic()
        self.publish(OutputProduced(last=self.output.last_number), "adapter")

    def tell_trace(self) -> None:
        """There are new records; readers are told at most every few hundredths of a second."""
        if self._trace_timer is None:
            loop = asyncio.get_running_loop()
            self._trace_timer = loop.call_later(_OUTPUT_INTERVAL, self._tell_trace)

    def _tell_trace(self) -> None:
        self._trace_timer = None
        self.publish(TraceProduced(last=self.trace.last_number), "program")

    async def wait_for(self, condition: Callable[[], bool]) -> None:
        """Return as soon as the condition holds; it is looked at after each event."""
        after = self.events.last_seq
        if condition():
            return
        async for _ in self.events.follow(after):
            if condition():
                return

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run something of the session's own; a failure is told, never lost."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._task_done)
        return task

    def _task_done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        if isinstance(error, (DebuggerError, AdapterError)):
            self.notify(str(error), "error")
        else:
            self.notify(f"internal error: {error!r}", "error")
            asyncio.get_running_loop().call_exception_handler(
                {"message": "a task of the session failed", "exception": error, "task": task}
            )

    # The adapter

    def set_plan(self, plan: Plan) -> None:
        """Debug that from the next start on, by its adapter. Raises AdapterNotStarted.

        What a person has asked for stays; what only the adapter before knew is forgotten.
        """
        before, own = self.plan, self.profile
        if plan.adapter != before.adapter:
            self.profile = find_profile(plan.adapter)
            self.interlude = Interlude(self.profile.patience_with_variables)
            self.probe.reset()
            self.inside.reset()
            self.exceptions.follow_profile(own)
            self.sources.learn_roots(())
            self.root_line = None
            self._facts.clear()
        self.plan = plan
        self._target = None

    def start_adapter(
        self, line: socket.socket | None = None, *, terminal: str = ""
    ) -> AdapterProcess:
        """Start the adapter's process. Raises AdapterNotStarted.

        ``line`` comes from a program that has connected to us, and is handed over to it;
        ``terminal`` is the path of the one that it shares with its program.
        """
        if self.profile.line is not Line.STREAMS or terminal:
            return start_by_tcp(self.profile, self.guard.begin_launch(), terminal)
        inherited = [line.fileno()] if line is not None else []
        return AdapterProcess.start(
            self.profile.command(),
            name=self.profile.name,
            environment=self.profile.environment(*inherited),
            launch=self.guard.begin_launch(),
            inherited=inherited,
            ignores_pipe=self.profile.ignores_pipe,
        )

    def connect(self) -> AdapterClient:
        """A new conversation, not yet connected to anything."""
        self.client = AdapterClient(
            on_event=lambda event: react(self, event),
            on_request=self._on_request,
            on_closed=self._on_closed,
            log=self.dap_log,
        )
        if self.profile.terminal is TerminalWay.SHARED:
            self.client.on_print = self.write_output
        return self.client

    async def request(
        self,
        command: str,
        arguments: object = None,
        *,
        into: type[T] = Nothing,  # type: ignore[assignment]
        timeout: float | None = None,
    ) -> T:
        """Ask the adapter. Raises AdapterError."""
        if self.client is None:
            raise AdapterGone("no program has been started yet")
        return await self.client.request(
            command, arguments, into=into, timeout=timeout or DEFAULT_TIMEOUT
        )

    @property
    def capabilities(self) -> Capabilities:
        """What the adapter has announced so far; nothing without an adapter."""
        return self.client.connection.capabilities if self.client is not None else Capabilities()

    def add_capabilities(self, capabilities: Capabilities) -> None:
        """Take over what the adapter announced, now or later."""
        assert self.client is not None
        known = msgspec.structs.asdict(self.client.connection.capabilities)
        told = msgspec.structs.asdict(capabilities)
        known.update({name: value for name, value in told.items() if value is not None})
        self.client.connection.capabilities = Capabilities(**known)

    def _on_request(self, request: Request) -> None:
        assert self.client is not None
        match request.command:
            case "runInTerminal":
                self.program_place.run(request)
            case "startDebugging":
                self.children.take_in(request)
            case _:
                self.client.respond(request, error=f"tuidbg can't do '{request.command}'")

    def _on_closed(self, reason: str) -> None:
        self.lifecycle.note_gone(reason)

    @property
    def is_attached(self) -> bool:
        """Whether its program was not started here: it outlives the session, and tuidbg."""
        return isinstance(self.plan, AttachPlan) and not self.plan.is_started_here

    @property
    def is_post_mortem(self) -> bool:
        """Whether it is a core file that is looked at: nothing of it runs."""
        return isinstance(self.plan, AttachPlan) and bool(self.plan.core)

    def follow_exit(self, pid: int) -> None:
        """Learn how that process of this machine ends, where its adapter does not tell."""
        if self.exit_status is not None:
            if self.exit_status.pid == pid:
                return  # it may be gone by now: who asks anew learns nothing
            self.exit_status.close()
            self.exit_status = None
        plan = self.plan
        is_here = isinstance(plan, AttachPlan) and (plan.is_started_here or plan.pid == pid)
        if self.profile.tells_signals_as_codes or is_here:
            from tuidbg.adapters.program.exit_status import ExitStatus

            self.exit_status = ExitStatus(pid)

    def watch(self, pid: int) -> None:
        """A process of the program's: it must not outlive tuidbg, if tuidbg has started it."""
        launch = self.launch or self.guarded_by
        if launch is not None and not self.is_attached:
            launch.watch(pid)

    # The program's terminal

    def take_terminal_output(self, data: bytes) -> None:
        """What the program wrote on its terminal."""
        # Where it is shown as it comes, on a real terminal, that one answers the program.
        lines = data if self.output_listeners else self.program_screen.take(data)
        for listener in self.output_listeners:
            listener("terminal", data)
        if lines:
            self.output.feed("terminal", lines)
        if self.feed is not None:
            self.feed.note_written("terminal", data)
        if lines or self.feed is not None:
            self._tell_output_soon()

    def resize_terminal(self, columns: int, rows: int) -> None:
        """Tell the program's terminal how large it is shown."""
        self.terminal_size = (columns, rows)
        self.program_screen.resize(columns, rows)
        if self.terminal is not None:
            self.terminal.resize(columns, rows)

    def send_input(self, text: str) -> None:
        """Type to the program's terminal."""
        if self.terminal is not None:
            self.terminal.write(text.encode())

    def send_end_of_input(self) -> None:
        """What Ctrl+D does in a terminal."""
        if self.terminal is not None:
            self.terminal.send_eof()

    def keep_input_at_end(self) -> None:
        """As where a pipe has ended; to be called again and again (``stay_at_end``)."""
        if self.terminal is not None:
            self.terminal.stay_at_end()

    def send_interrupt(self) -> None:
        """What Ctrl+C does in a terminal."""
        if self.terminal is not None:
            self.terminal.send_interrupt()

    async def drain_terminal(self) -> None:
        """Take in what the program has written and nobody has read yet."""
        if self.terminal is not None:
            await self.terminal.drain()

    # Sources

    @cached_property
    def doctor(self) -> Doctor:
        """Explains why a breakpoint does not stop."""
        from tuidbg.session.doctor.doctor import Doctor

        return Doctor(self)

    @cached_property
    def children(self) -> Children:
        """Takes in the processes that the program starts."""
        from tuidbg.session.family.children import Children

        return Children(self)

    @cached_property
    def remote(self) -> RemoteSources:
        """Knows the sources of a program that runs elsewhere."""
        from tuidbg.session.sources.remote import RemoteSources

        return RemoteSources(self)

    @cached_property
    def listener(self) -> Listener:
        """Takes in the programs that connect to us."""
        from tuidbg.session.connect.listening import Listener

        return Listener(self)

    @cached_property
    def autorestart(self) -> AutoRestart:
        """Restarts the program when its sources change, if that is wanted."""
        from tuidbg.session.project.autorestart import AutoRestart

        return AutoRestart(self)

    @cached_property
    def autopsy(self) -> Autopsy:
        """Examines the exception at which the program stands."""
        from tuidbg.session.autopsy.autopsy import Autopsy

        return Autopsy(self)

    @cached_property
    def evaluation(self) -> Evaluation:
        """Evaluates what a person typed."""
        from tuidbg.session.evaluation.prompt import Evaluation

        return Evaluation(self)

    @cached_property
    def modules(self) -> Modules:
        """The modules that the program has loaded."""
        from tuidbg.session.sources.modules import Modules

        return Modules(self)

    @cached_property
    def memory(self) -> Memory:
        """The program's memory, on native code."""
        from tuidbg.session.native.memory import Memory

        return Memory(self)

    @cached_property
    def disassembly(self) -> Disassembly:
        """The program's machine code, on native code."""
        from tuidbg.session.native.disassembly import Disassembly

        return Disassembly(self)

    @cached_property
    def registers(self) -> Registers:
        """The processor's registers, on native code."""
        from tuidbg.session.native.registers import Registers

        return Registers(self)

    @cached_property
    def lifetimes(self) -> Lifetimes:
        """Records calls of functions: their arguments, paths, changes, what they returned."""
        from tuidbg.session.recording.recordings import Lifetimes

        return Lifetimes(self)

    @cached_property
    def definitions(self) -> Definitions:
        """Finds where names of the source are defined."""
        from tuidbg.session.sources.definitions import Definitions

        return Definitions(self)

    @cached_property
    def tasks(self) -> Tasks:
        """The tasks of the program's event loops."""
        from tuidbg.session.stack.tasks import Tasks

        return Tasks(self)

    @cached_property
    def values(self) -> Values:
        """The variables of a frame, in pages, and what a person does with one of them."""
        from tuidbg.session.values.variables import Values

        return Values(self)

    @cached_property
    def changes(self) -> Changes:
        """Stops when a value changes."""
        from tuidbg.session.breakpoints.value_breakpoints import Changes

        return Changes(self)

    @cached_property
    def watches(self) -> Watches:
        """The expressions that are evaluated at every stop."""
        from tuidbg.session.values.watches import Watches

        return Watches(self)

    @cached_property
    def tables(self) -> Tables:
        """Opens arrays, frames and lists of records as tables."""
        from tuidbg.session.values.tables import Tables

        return Tables(self)

    async def learn_roots(self) -> None:
        """Ask the adapter which folders are libraries; without an answer it is guessed."""
        question = self.profile.roots_question
        if not question or not self.is_configurable or self.sources.knows_roots:
            return
        try:
            arguments = own_question(question)
            answer = await self.request("evaluate", arguments, into=EvaluateBody)
        except AdapterError:
            return
        self.sources.learn_roots(*self.profile.read_roots(answer.result))

    def why_no_rules(self) -> str:
        """Why nobody chooses which sources are passed over; nothing where that can be chosen."""
        profile = self.profile
        if profile.language is PYTHON or profile.source_arguments(True, [], []):
            return ""
        return f"{profile.name} steps into all functions whose source is known"

    async def apply_sources(self, *, origin: str) -> None:
        """Put the rules of ``sources`` in force at once; a later launch takes them anyway.

        Raises UnsupportedByAdapter, AdapterFailed.
        """
        self.publish(SourcesChanged(just_my_code=self.sources.just_my_code), origin)
        if self.is_configurable:
            await self.put_sources_in_force()

    async def put_sources_in_force(self) -> None:
        """Let the program follow ``sources``. Raises UnsupportedByAdapter, AdapterFailed."""
        expression = self.profile.live_rules(self.sources.just_my_code, self.sources.render())
        if not expression:
            raise UnsupportedByAdapter("this debug adapter takes that with the next start only")
        try:
            arguments = own_question(expression)
            await self.request("evaluate", arguments, into=EvaluateBody)
        except AdapterError as error:
            raise AdapterFailed(f"just-my-code could not be switched: {error}") from error
        await self.breakpoints.reconsider_all()

    async def target_facts(self) -> SourceFacts:
        """What its interpreter says of the program; asked once for each launch."""
        if not self.plan.target:
            return SourceFacts()
        if self._target is None:
            self._target = asyncio.create_task(self.profile.examine_target(self.plan))
        return await asyncio.shield(self._target)

    @property
    def target_path(self) -> str:
        """The file of the program itself, once it is known."""
        target = self._target
        if target is None or not target.done() or target.cancelled() or target.exception():
            return ""
        return target.result().path

    def has_source_changed(self, path: str) -> bool:
        """Whether a file was edited since this run first had breakpoints in it (R001-15)."""
        stamp = file_stamp(path)
        return stamp is not None and self._stamps.setdefault(path, stamp) != stamp

    async def source_facts(self, path: str) -> SourceFacts:
        """What its interpreter says of a source; nothing where there is no such file."""
        await self.source_facts_of([path])
        if (older := self.running_sources.facts(path)) is not None:
            return older
        known = self._facts.get(path)
        return known[1] if known is not None else SourceFacts(path)

    async def source_facts_of(self, paths: Iterable[str]) -> None:
        """Ask for the facts of many sources at once: one process instead of one a file."""
        paths = list(paths)
        for path in paths:
            self.running_sources.take(path)
        paths = [path for path in paths if not self.running_sources.is_older(path)]
        asked = {path: stamp for path in paths if (stamp := file_stamp(path)) is not None}
        new = [path for path, stamp in asked.items() if self._facts.get(path, (0, 0))[0] != stamp]
        target = await self.target_facts() if new else SourceFacts()
        if target.path in new and target.path not in self._facts:
            self._facts[target.path] = (asked[target.path], target)
            new.remove(target.path)
        if new:
            found = await self.profile.examine_sources(self.plan, new)
            for path, facts in zip(new, found, strict=True):
                self._facts[path] = (asked[path], facts)
        for path, stamp in asked.items():
            if (known := self._facts.get(path)) is not None:
                self.running_sources.take_facts(path, stamp, known[1])

    def language_of(self, path: str) -> Language:
        """What the expressions of a breakpoint in that source are written in."""
        return language_of(path, self.profile.language)

    def share_facts(self, other: Session) -> None:
        """What is known of sources is known in both: they run the same program."""
        self._facts = other._facts

    # The end

    def prepare_launch(self) -> None:
        """Forget the last run; what was asked for stays."""
        self.exit = None
        self.failure = ""
        self.threads_changed = True
        self._target = None
        self._stamps.clear()
        self.running_sources.forget()
        self.hits.reset()
        self.history.begin_run()
        self.exceptions.forget_seen()
        self.breakpoints.prepare_launch()

    async def end_adapter(self) -> None:
        """The program has ended by itself: see that its adapter goes, too."""
        if self.root_line is not None and not self.plan.is_child:
            await self.root_line.leave()
        process = self.client.process if self.client is not None else None
        if process is not None:
            await asyncio.to_thread(process.end)

    def release_processes(self) -> None:
        """The program has ended by itself: leave alone what it left on purpose."""
        self._close_terminal()
        if self.launch is not None:
            self.launch.release_marked()
            for pid in self.launch.watched:
                self.launch.forget(pid)

    def _close_terminal(self) -> None:
        if self.terminal is not None:
            self.terminal.close()
            self.terminal = None
        self.program_screen.end()
        for category in ("terminal", "stdout", "stderr"):
            self.output.finish(category)

    async def end_processes(self, *others: int) -> None:
        """End the adapter, the program, if it was started here, ``others``, and their children."""
        if self.client is not None:
            self.client.close()
        if self.root_line is not None and not self.plan.is_child:
            self.root_line.close()
        self._close_terminal()
        if self.launch is not None:
            ended = (*self.launch.watched, *others)
            await asyncio.to_thread(self.launch.end_processes, ended)
        if self.client is not None and self.client.process is not None:
            self.client.process.popen.poll()  # it is no zombie either
        if self.tunnel is not None:
            await self.tunnel.close()
        if "listener" in vars(self):
            await self.listener.close()

    async def close(self, *, kill: bool = False) -> None:
        """End everything; the session is of no use after that. Takes under a second.

        A program that it is attached to runs on, unless ``kill``.
        """
        await self.lifecycle.close(kill=kill)
        await forget_children(self)
        await self.program_place.close()
        if self.status in (Status.RUNNING, Status.PAUSED):
            self.move_to(Status.TERMINATED)  # so that nobody waits for its next stop any more
        if self.feed is not None:
            self.feed.close()
        left = [*self._tasks, *([self._target] if self._target is not None else [])]
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=_TASK_GRACE)
        for timer in (self._output_timer, self._trace_timer):
            if timer is not None:
                timer.cancel()
        if self.dap_log is not None:
            self.dap_log.close()
