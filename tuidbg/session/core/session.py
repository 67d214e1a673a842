"""One debug session: its current state, and the parts that act on it, one per noun.

Front ends call those parts, follow ``events`` and read the state; they keep no state of the session
of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tuidbg.adapters.client import DapLog
from tuidbg.adapters.process import Guard
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.adapters.program.terminal import PseudoTerminal
from tuidbg.adapters.table import find_profile
from tuidbg.adapters.traits import SourceProblem
from tuidbg.config.launch import AttachPlan, Plan
from tuidbg.dap.messages import Event
from tuidbg.session.core.breakpoints.breakpoints import SessionBreakpoints
from tuidbg.session.core.breakpoints.kinds.exceptions import ExceptionBreakpoints
from tuidbg.session.core.connect.adapter_link import AdapterLink
from tuidbg.session.core.evaluation.implicit_resume import ImplicitResume
from tuidbg.session.core.evaluation.in_process import InsideLink
from tuidbg.session.core.event_handlers import react
from tuidbg.session.core.execution import Execution, StopOwner
from tuidbg.session.core.feature import Feature
from tuidbg.session.core.hits.hit_filter import HitFilter
from tuidbg.session.core.hits.probe import ProbeLink
from tuidbg.session.core.hits.trace import TraceLog
from tuidbg.session.core.lifecycle import Lifecycle
from tuidbg.session.core.output import OutputStream
from tuidbg.session.core.process_tree.detach import forget_children
from tuidbg.session.core.run.background_tasks import BackgroundTasks
from tuidbg.session.core.run.processes import AdapterProcesses
from tuidbg.session.core.sources.program_facts import ProgramFacts
from tuidbg.session.core.sources.rules import LiveRules, SourceRules
from tuidbg.session.core.sources.running import RunningSources
from tuidbg.session.core.stack.inspection import Inspection
from tuidbg.session.core.stack.pushed_details import PushedDetails
from tuidbg.session.core.stack.stop_details import show_stop
from tuidbg.session.core.stepping import Stepping
from tuidbg.session.core.stop_history.timeline import History
from tuidbg.session.core.terminal.awaited_input import AwaitedInput
from tuidbg.session.core.terminal.program_screen import ProgramScreen
from tuidbg.session.core.terminal.program_terminal import ProgramPlace, TerminalIO
from tuidbg.session.model.events import (
    Continued,
    EventLog,
    NoticeGiven,
    SessionClosed,
    SessionEvent,
    StatusChanged,
    Stopped,
    WaitingChanged,
)
from tuidbg.session.model.state import ExitState, Frame, Place, Status, Stop, ThreadState

if TYPE_CHECKING:
    from tuidbg.session.core.breakpoints.value_breakpoints import ValueBreakpoints
    from tuidbg.session.core.connect.listening import Listener
    from tuidbg.session.core.evaluation.prompt import Evaluation
    from tuidbg.session.core.process_tree.children import ChildProcesses
    from tuidbg.session.core.process_tree.family import ProcessTree
    from tuidbg.session.core.sources.program_facts import Modules
    from tuidbg.session.core.sources.remote import RemoteSources
    from tuidbg.session.core.stack.tasks import Tasks
    from tuidbg.session.core.values.variables import VariableValues
    from tuidbg.session.core.values.watches import Watches


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
        self.adapter = AdapterLink(self, profile, dap_log)
        self.guard = guard
        self.events: EventLog = EventLog()
        self.output_stream = OutputStream(self.publish)
        self.output = self.output_stream.buffer
        self.family: ProcessTree | None = None
        """The related processes; None until the program starts another one."""
        self.trace = TraceLog()
        self.probe = ProbeLink(self)
        self.breakpoints = SessionBreakpoints(self)
        self.exceptions = ExceptionBreakpoints(self)
        self.hits = HitFilter(self)
        self.history = History(self)
        self.events.subscribers.add(lambda entry: self.history.note(entry.event))
        self.sources = SourceRules(just_my_code=plan.just_my_code)
        self.execution = Execution(self)
        self.stepping = Stepping(self)
        self.pushed_details = PushedDetails(self)
        self.inspection = Inspection(self)
        self.inside = InsideLink(self)
        self.processes = AdapterProcesses(self)
        self.lifecycle = Lifecycle(self)
        self.implicit_resume = ImplicitResume(profile.values.patience)
        self.features: dict[str, Feature] = {}
        """Those in use, by the names of their classes; see ``Feature.of``."""
        self.children_in_use: ChildProcesses | None = None
        self.listener_in_use: Listener | None = None
        self.changes_in_use: ValueBreakpoints | None = None
        self.watches_in_use: Watches | None = None
        """These four are None until they are needed."""
        self.status = Status.CREATED
        self.failure = ""
        self.source_problem: SourceProblem | None = None
        """The source error that kept the program from being started, if known."""
        self.stop_id: int = 0
        self.stop: Stop | None = None
        self.frames: tuple[Frame, ...] = ()
        self.stack_of = 0
        """The stop whose stack ``frames`` is."""
        self.threads: tuple[ThreadState, ...] = ()
        self.threads_changed = True
        self.exit: ExitState | None = None
        self.pid: int | None = None
        self.restarts_on_change = False
        self.terminal: PseudoTerminal | None = None
        self.program_screen = ProgramScreen()
        self.terminal_io = TerminalIO(self)
        self.awaited_input = AwaitedInput(self)
        self.program_place = ProgramPlace(self)
        self.stop_owner: StopOwner | None = None
        self.waiting = ""
        """What is waited for: a program that is not up, or not up again."""
        self.work = BackgroundTasks(self.notify)
        self.running_sources = RunningSources(self)
        self.facts = ProgramFacts(self)
        self.live_rules = LiveRules(self)

    # State and events

    def publish(self, event: SessionEvent, origin: str = "session") -> None:
        """Append to the event log."""
        self.events.append(event, origin)

    def move_to(self, status: Status, reason: str = "") -> None:
        """Change the status and publish it."""
        if status is not self.status:
            self.status = status
            self.publish(StatusChanged(status=status, reason=reason))

    @property
    def is_still(self) -> bool:
        """True while the program is stopped, even if only between two steps of a recording."""
        if self.status is Status.PAUSED:
            return True
        return self.stop_owner is not None and self.stop_owner.is_at_stop

    def note_stopped(self, stop: Stop) -> None:
        """Handle a stop of the program."""
        self.stop = stop
        self.status = Status.PAUSED
        self.publish(Stopped(stop=stop), "adapter")

    def note_resumed(
        self,
        *,
        stepping: bool,
        origin: str,
        how: str = "",
        thread_id: int | None = None,
        alone: bool = False,
    ) -> None:
        """Handle a resume: the data of the last stop is stale from now on."""
        self.status = Status.RUNNING
        event = Continued(stepping=stepping, how=how, thread_id=thread_id, alone=alone)
        self.publish(event, origin)

    def show_stop(self, stop: Stop) -> None:
        """Publish a stop that was withheld so far."""
        show_stop(self, stop)

    def note_ended(self) -> None:
        """Handle the end of the program; the user's settings stay."""
        self.adapter.is_configurable = False
        self.stop_id += 1
        self.stop = None
        self.frames = ()
        self.threads = ()
        self.pid = None
        self.processes.forget_exit()
        self.execution.reset()
        self.stepping.reset()
        self.implicit_resume.reset()
        self.probe.reset()
        self.inside.reset()
        self.hits.tally.tell_counts()
        self.breakpoints.adapter_lost()

    def note_waiting(self, text: str) -> None:
        """Show what is waited for, or (with an empty text) end that."""
        if text != self.waiting:
            self.waiting = text
            self.publish(WaitingChanged(text=text))

    def notify(self, text: str, severity: str = "information", *, quotes: bool = False) -> None:
        """Show the user a message; it is in the console as well. See ``NoticeGiven``."""
        self.write_output("console" if severity == "information" else "important", text + "\n")
        self.publish(NoticeGiven(text=text, severity=severity, quotes=quotes))

    def write_output(
        self,
        category: str,
        text: str | bytes,
        place: Place | None = None,
        *,
        is_piece: bool = False,
        is_secret: bool = False,
    ) -> None:
        """Add output, written at ``place`` if known; readers are notified soon (``Piece``)."""
        write = self.output_stream.write
        write(category, text, place, is_piece=is_piece, is_secret=is_secret)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a task of the session; a failure is reported, never lost."""
        return self.work.spawn(work)

    # The adapter

    @property
    def profile(self) -> AdapterProfile:
        """Return the adapter's peculiarities."""
        return self.adapter.profile

    def set_plan(self, plan: Plan) -> None:
        """Use that plan and its adapter from the next start on. Raises AdapterNotStarted.

        The user's settings stay; the previous adapter's data is dropped.
        """
        before, own = self.plan, self.profile
        if plan.adapter != before.adapter:
            self.adapter.change(find_profile(plan.adapter))
            self.implicit_resume = ImplicitResume(self.profile.values.patience)
            self.probe.reset()
            self.inside.reset()
            self.exceptions.follow_profile(own)
            self.sources.learn_roots(())
            self.facts.forget()
        self.plan = plan
        self.facts.forget_target()

    def make_beside(self, plan: Plan, *, dap_log: DapLog | None = None) -> Session:
        """Make a further session, with the same adapter."""
        return Session(plan, self.profile, self.guard, dap_log=dap_log)

    def take_event(self, event: Event) -> None:
        """Handle an event of the adapter."""
        react(self, event)

    @property
    def is_attached(self) -> bool:
        """True if its program was not started here: it outlives the session, and tuidbg."""
        return isinstance(self.plan, AttachPlan) and not self.plan.is_started_here

    @property
    def is_post_mortem(self) -> bool:
        """True for a core file: nothing of it runs."""
        return isinstance(self.plan, AttachPlan) and bool(self.plan.core)

    @property
    def children(self) -> ChildProcesses:
        """Return the part that attaches to child processes."""
        if self.children_in_use is None:
            from tuidbg.session.core.process_tree.children import ChildProcesses

            self.children_in_use = ChildProcesses(self)
        return self.children_in_use

    @cached_property
    def remote(self) -> RemoteSources:
        """Return the sources of a program that runs elsewhere."""
        from tuidbg.session.core.sources.remote import RemoteSources

        return RemoteSources(self)

    @property
    def listener(self) -> Listener:
        """Return the part that accepts connecting programs."""
        if self.listener_in_use is None:
            from tuidbg.session.core.connect.listening import Listener

            self.listener_in_use = Listener(self)
        return self.listener_in_use

    @cached_property
    def evaluation(self) -> Evaluation:
        """Return the evaluation of typed expressions."""
        from tuidbg.session.core.evaluation.prompt import Evaluation

        return Evaluation(self)

    @cached_property
    def modules(self) -> Modules:
        from tuidbg.session.core.sources.program_facts import Modules

        return Modules(self)

    @cached_property
    def tasks(self) -> Tasks:
        """Return the tasks of the program's event loops."""
        from tuidbg.session.core.stack.tasks import Tasks

        return Tasks(self)

    @cached_property
    def values(self) -> VariableValues:
        """Return the variables of a frame, in pages, and the operations on one of them."""
        from tuidbg.session.core.values.variables import VariableValues

        return VariableValues(self)

    @property
    def changes(self) -> ValueBreakpoints:
        """Return the stops at value changes."""
        if self.changes_in_use is None:
            from tuidbg.session.core.breakpoints.value_breakpoints import ValueBreakpoints

            self.changes_in_use = ValueBreakpoints(self)
        return self.changes_in_use

    @property
    def watches(self) -> Watches:
        """Return the expressions that are evaluated at every stop."""
        if self.watches_in_use is None:
            from tuidbg.session.core.values.watches import Watches

            self.watches_in_use = Watches(self)
        return self.watches_in_use

    # Shutdown

    def prepare_launch(self) -> None:
        """Forget the last run; the user's settings stay."""
        self.exit = None
        self.failure = ""
        self.threads_changed = True
        self.facts.begin_run()
        self.running_sources.forget()
        self.hits.reset()
        self.history.begin_run()
        self.exceptions.forget_seen()
        self.breakpoints.prepare_launch()

    async def close(self, *, kill: bool = False) -> None:
        """End everything; the session can't be used after that. Takes under a second.

        An attached program continues, unless ``kill``.
        """
        await self.lifecycle.close(kill=kill)
        await forget_children(self)
        await self.program_place.close()
        if self.status in (Status.RUNNING, Status.PAUSED):
            self.move_to(Status.TERMINATED)  # ends every wait for its next stop
        self.publish(SessionClosed())
        await self.work.end(self.facts.tasks)
        self.output_stream.close()
        self.probe.close()
        if self.adapter.log is not None:
            self.adapter.log.close()
