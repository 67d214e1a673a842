"""The session members needed to start and end a program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tuidbg.config.launch import AttachPlan, Plan
from tuidbg.session.connect.attaching import Attached, Connects
from tuidbg.session.process_tree.detach import Left
from tuidbg.session.state import ExitState, Status, ThreadState

if TYPE_CHECKING:
    from tuidbg.adapters.program.terminal import ProgramTerminal
    from tuidbg.adapters.traits import SourceProblem
    from tuidbg.dap.messages import Event
    from tuidbg.session.breakpoints.breakpoints import Breakpoints
    from tuidbg.session.breakpoints.kinds.exceptions import Exceptions
    from tuidbg.session.connect.adapter_link import AdapterLink
    from tuidbg.session.process_tree.children import Children
    from tuidbg.session.run.background_tasks import Work
    from tuidbg.session.run.processes import Processes
    from tuidbg.session.sources.program_facts import ProgramFacts
    from tuidbg.session.sources.rules import Sources
    from tuidbg.session.terminal.program_terminal import ProgramPlace


class _Looks(Protocol):
    async def threads(self) -> tuple[ThreadState, ...]:
        """Fetch the threads of the program."""


class _Listens(Protocol):
    def open(self, plan: AttachPlan) -> None:
        """Listen for programs that connect."""

    async def settle(self) -> None:
        """Let connecting programs arrive, and accept no more."""


class _Remote(Protocol):
    async def check_mappings(self) -> None:
        """Report mappings that can match nothing."""


class _RunningSources(Protocol):
    def take(self, path: str) -> None:
        """Keep the text of a file as the program runs it."""


class _Past(Protocol):
    async def begin_with_program(self) -> None:
        """Record the program that is about to run."""

    async def open(self, path: Path) -> None:
        """Open a recording file. Raises NotOpened."""


class _Probe(Protocol):
    def report_misfits(self, sentence: str) -> None:
        """Report debugger patches that do not fit."""


class _Life(Protocol):
    def note_gone(self, reason: str) -> None:
        """Handle the loss of the adapter's connection."""


class Runs(Attached, Connects, Left, Protocol):
    """A session whose program is started and ended."""

    plan: Plan
    status: Status
    exit: ExitState | None
    failure: str
    source_problem: SourceProblem | None
    terminal: ProgramTerminal | None
    threads: tuple[ThreadState, ...]
    threads_changed: bool
    waiting: str
    work: Work

    def note_resumed(self, *, stepping: bool, origin: str, how: str = "") -> None:
        """Publish that the program runs."""

    @property
    def adapter(self) -> AdapterLink:
        """Return the connection to the adapter."""

    @property
    def lifecycle(self) -> _Life:
        """Return the part that starts and ends the program."""

    @property
    def processes(self) -> Processes:
        """Return the part that starts the adapter, and ends remaining processes."""

    @property
    def breakpoints(self) -> Breakpoints:
        """Return its breakpoints."""

    @property
    def exceptions(self) -> Exceptions:
        """Return the exception breakpoints."""

    @property
    def sources(self) -> Sources:
        """Return the rules for skipped sources."""

    @property
    def running_sources(self) -> _RunningSources:
        """Return the sources as the program runs them."""

    @property
    def inspection(self) -> _Looks:
        """Return the part that fetches threads."""

    @property
    def children(self) -> Children:
        """Return the part that attaches to child processes."""

    @property
    def listener(self) -> _Listens:
        """Return the part that accepts connecting programs."""

    @property
    def remote(self) -> _Remote:
        """Return the sources of a program that runs elsewhere."""

    @property
    def probe(self) -> _Probe:
        """Return the part that handles reports from inside the program."""

    @property
    def past(self) -> _Past:
        """Return the recording of the program."""

    @property
    def program_place(self) -> ProgramPlace:
        """Return the part that finds the program a terminal."""

    def set_plan(self, plan: Plan) -> None:
        """Use that plan from the next start on."""

    def prepare_launch(self) -> None:
        """Forget the last run."""

    @property
    def facts(self) -> ProgramFacts:
        """Return the facts about the program."""

    def take_event(self, event: Event) -> None:
        """Handle an event of the adapter."""

    def move_to(self, status: Status, reason: str = "") -> None:
        """Change the status and publish it."""

    def note_ended(self) -> None:
        """Handle the end of the program."""
