"""Does what the start and the end of a program take of its session."""

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
        """Let those that have called arrive, and take nobody in any more."""


class _Remote(Protocol):
    async def check_mappings(self) -> None:
        """Tell of mappings that can match nothing."""


class _RunningSources(Protocol):
    def take(self, path: str) -> None:
        """Keep the text of a file as the program runs it."""


class _Past(Protocol):
    async def begin_with_program(self) -> None:
        """Record the program that is about to run."""

    async def open(self, path: Path) -> None:
        """Look at a recording that was written to a file. Raises NotOpened."""


class _Probe(Protocol):
    def report_misfits(self, sentence: str) -> None:
        """Say which patches of the debugger do not fit."""


class _Life(Protocol):
    def note_gone(self, reason: str) -> None:
        """The conversation with the adapter broke off."""


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
        """The program runs."""

    @property
    def adapter(self) -> AdapterLink:
        """The conversation with the adapter."""

    @property
    def lifecycle(self) -> _Life:
        """Starts and ends the program."""

    @property
    def processes(self) -> Processes:
        """Starts the adapter, and ends what is left of a run."""

    @property
    def breakpoints(self) -> Breakpoints:
        """The breakpoints."""

    @property
    def exceptions(self) -> Exceptions:
        """The exceptions at which it stops."""

    @property
    def sources(self) -> Sources:
        """The sources that are passed over."""

    @property
    def running_sources(self) -> _RunningSources:
        """The sources as the program runs them."""

    @property
    def inspection(self) -> _Looks:
        """Looks at the threads."""

    @property
    def children(self) -> Children:
        """Takes in the processes that the program starts."""

    @property
    def listener(self) -> _Listens:
        """Takes in the programs that connect to us."""

    @property
    def remote(self) -> _Remote:
        """Knows the sources of a program that runs elsewhere."""

    @property
    def probe(self) -> _Probe:
        """Takes what is reported from inside the program."""

    @property
    def past(self) -> _Past:
        """Records the program."""

    @property
    def program_place(self) -> ProgramPlace:
        """Finds the program a terminal."""

    def set_plan(self, plan: Plan) -> None:
        """Debug that from the next start on."""

    def prepare_launch(self) -> None:
        """Forget the last run."""

    @property
    def facts(self) -> ProgramFacts:
        """Knows the program itself."""

    def take_event(self, event: Event) -> None:
        """The adapter tells something."""

    def move_to(self, status: Status, reason: str = "") -> None:
        """Change the status and tell."""

    def note_ended(self) -> None:
        """There is no program any more."""
