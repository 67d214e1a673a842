"""The one place where debug adapters differ.

Everything that is peculiar to an adapter stands in its profile; the session asks, and holds no
``if debugpy`` anywhere.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from tuidbg.adapters.inside import Inside
from tuidbg.adapters.languages import Language
from tuidbg.adapters.log_points import LogPoints
from tuidbg.adapters.probe import Probe
from tuidbg.config.launch import AttachPlan, LaunchPlan, Plan
from tuidbg.dap.types import Capabilities, StoppedBody

if TYPE_CHECKING:
    from tuidbg.adapters.discovery.packages import Packages
    from tuidbg.adapters.native.questions import NativeQuestions
    from tuidbg.adapters.native.symbols import SymbolQuestions
    from tuidbg.adapters.stand_in import StandIn


class Line(StrEnum):
    """How tuidbg and an adapter speak.

    ``streams``: by the adapter's stdin and stdout. ``calls_back``: it dials the address that its
    command names. ``listens``: it listens there, and is dialled as soon as it does.
    ``runs_already``: nothing is started, ``AdapterProfile.address`` is dialled.
    """

    STREAMS = "streams"
    CALLS_BACK = "calls_back"
    LISTENS = "listens"
    RUNS_ALREADY = "runs_already"


class TerminalWay(StrEnum):
    """How the program gets on the terminal that tuidbg has for it.

    ``asked_for``: the adapter asks us to start it there (DAP ``runInTerminal``). ``named``: the
    launch request names the terminal. ``shared``: the adapter itself runs on it.
    """

    ASKED_FOR = "asked_for"
    NAMED = "named"
    SHARED = "shared"


class SourceProblem(msgspec.Struct, frozen=True):
    """Why a source can't be run: what, and for syntax errors where (lines and columns from 1)."""

    message: str
    path: str = ""
    line: int = 0
    column: int = 0
    text: str = ""


class SourceFacts(msgspec.Struct, frozen=True):
    """What the interpreter that runs a source says of it, without running it.

    ``code_lines`` are the lines that can break, in order; empty where nobody knows.
    """

    path: str = ""
    code_lines: tuple[int, ...] = ()
    problem: SourceProblem | None = None


class Said(msgspec.Struct, frozen=True):
    """What an adapter's own message comes down to: words for the person, and the exit code.

    There are adapters that tell it in words only. ``has_ended``: a program that was attached to
    has been ended with the adapter.
    """

    text: str = ""
    exit_code: int | None = None
    has_ended: bool = False


class SignalTold(msgspec.Struct, frozen=True):
    """A signal that has stopped the program: its name, and what it means in a sentence.

    ``is_pause``: it is how a debugger, or a person with Ctrl+C, pauses a program.
    """

    name: str
    text: str
    is_pause: bool = False


class FunctionPlace(msgspec.Struct, frozen=True):
    """Where a function begins: its first line that can break, and its name in its file."""

    path: str
    line: int
    name: str


class FunctionFacts(msgspec.Struct, frozen=True):
    """What is known of a function that a person named, without running anything.

    Several places where the name is defined several times (redefinitions, a property's getter and
    setter); none where there is no such function, and then ``problem`` says why in a sentence.
    """

    places: tuple[FunctionPlace, ...] = ()
    problem: str = ""
    is_final: bool = False
    """The module is there and has no such function; else it may come later."""


class PageTemplates(Protocol):
    """Breakpoints in templates of web pages, where the adapter must be prepared for them."""

    @property
    def module(self) -> str:
        """The ``Inside`` module that prepares the program's side, by its function ``prepare``."""

    @property
    def waiting(self) -> str:
        """How the answer begins for one whose template was not rendered yet."""

    def includes(self, path: str) -> bool:
        """Whether a file is a template, by its name."""

    def arguments(self, plan: Plan) -> Sequence[object]:
        """What ``prepare`` is told for this program."""


class RemoteQuestions(Protocol):
    """Expressions for a program that runs elsewhere, or under other names of folders."""

    def reference(self, path: str) -> str:
        """For a number by which the ``source`` request gives a file of the program's machine."""

    def map_paths(self, mappings: Mapping[str, str]) -> str:
        """Has the living program speak of its folders as they are called here (here: there)."""

    def missing(self, folders: Sequence[str]) -> str:
        """For those of the folders that are none where the program runs."""

    def read_missing(self, answer: str) -> Sequence[str]:
        """These, of what it evaluated to."""


class AdapterProfile(Protocol):
    """What the session needs to know of one adapter."""

    @property
    def name(self) -> str:
        """The adapter's name for people and for DAP's ``adapterID``."""

    @property
    def language(self) -> Language:
        """What the program's expressions are written in."""

    @property
    def line(self) -> Line:
        """How it is spoken to."""

    @property
    def address(self) -> tuple[str, int] | None:
        """Host and port of one that runs already; None for those that are started."""

    @property
    def begins_again(self) -> bool:
        """Whether the program is a second conversation at its port (``root_session.py``)."""

    @property
    def late_breakpoint(self) -> str:
        """What it says of a breakpoint that it sets when its file is loaded; "" where nothing."""

    @property
    def answers_news_only(self) -> bool:
        """Whether it answers breakpoints that it has already, sent once more, by an empty list."""

    @property
    def terminal(self) -> TerminalWay:
        """How its program gets a terminal."""

    @property
    def tuning(self) -> str:
        """An expression evaluated in the program once a session to make it fast; may be empty."""

    @property
    def attached_tuning(self) -> str:
        """The same for a program that runs already, before anything else is asked of it."""

    @property
    def patience_with_variables(self) -> float:
        """Seconds after which the adapter resumes other threads to work out variables, or inf."""

    def command(self, address: str = "") -> list[str]:
        """The command that starts the adapter; ``address`` (HOST:PORT) is where one dials us.

        Or where it shall listen. Raises AdapterNotStarted where it is not installed.
        """

    def locate(self) -> str:
        """Where it is, for people. Raises AdapterNotStarted where it is not installed."""

    def read_version(self) -> str:
        """Its version, empty where it does not tell. Blocks: perhaps a process is asked."""

    def gaps(self, version: str) -> str:
        """What that version lacks and newer ones have, in a sentence; "" where nothing. Blocks."""

    @property
    def packages(self) -> Packages:
        """What brings it where it is missing."""

    @property
    def watched(self) -> tuple[str, ...]:
        """Patterns of the sources that the program may be made of (``--watch``)."""

    def environment(self, line: int | None = None) -> Mapping[str, str]:
        """What it gets into its environment; ``line`` is the descriptor of a program's socket."""

    def stand_in(self, told: Capabilities) -> StandIn | None:
        """What answers some requests in its place, by what it says it can; None: it does all."""

    def launch_arguments(
        self, plan: LaunchPlan, target: SourceFacts, tty: str = ""
    ) -> dict[str, Any]:
        """The arguments of the ``launch`` request; ``tty`` is the program's terminal, if named."""

    @property
    def launch_patience(self) -> float:
        """Seconds within which its programs must be there; 0 where nothing is peculiar to it."""

    def preparing(self, plan: LaunchPlan) -> str:
        """What happens before the program starts, in words (``building main.go``), or ""."""

    def explain_launch(self, reason: str) -> SourceProblem:
        """Why a launch failed: the adapter's reason in plain words, and the line, if one did it."""

    def attach_arguments(self, plan: AttachPlan) -> dict[str, Any]:
        """The arguments of the ``attach`` request."""

    def attach_obstacle(self, pid: int) -> str:
        """Why a process of this machine can't be attached to; empty where nothing is known."""

    def how_to_listen(self, port: int) -> str:
        """The command that starts a program which can be attached to by that port."""

    def how_to_connect(self, place: str) -> str:
        """The command that starts a program which connects to that port, or HOST:PORT, of ours."""

    def lets_go(self, plan: AttachPlan) -> bool:
        """Whether it lets an attached program run on when it is left, without its breakpoints."""

    def core_obstacle(self, plan: AttachPlan) -> str:
        """Why the plan's core file can't be opened; empty where nothing is known."""

    def attach_failure(self, output: str) -> str:
        """Why attaching failed, of what the adapter wrote meanwhile; empty while it may work."""

    def explain_refusal(self, reason: str) -> str:
        """The adapter's answer to ``attach`` in plain words."""

    @property
    def lost_program(self) -> tuple[str, ...]:
        """Words of the adapter's answer to a request in the midst of which the program ended."""

    def source_arguments(
        self,
        just_my_code: bool,
        rules: Sequence[dict[str, Any]],
        mappings: Sequence[dict[str, str]],
    ) -> dict[str, Any]:
        """The part of them that says which sources to pass over, and how their paths differ."""

    def live_rules(self, just_my_code: bool, rules: Sequence[dict[str, Any]]) -> str:
        """An expression that puts that in force in the living program; empty if it can't."""

    @property
    def roots_question(self) -> str:
        """An expression for the folders of libraries and of own code; empty if none is known."""

    def read_roots(self, answer: str) -> tuple[Sequence[str], Sequence[str]]:
        """Those folders, of what it evaluated to."""

    def entry_line(self, plan: LaunchPlan, target: SourceFacts) -> int | None:
        """Where tuidbg itself must stop the program on entry; None where the adapter does it."""

    def entry_function(self, plan: LaunchPlan) -> str:
        """The function at which tuidbg itself must stop the program on entry, or ""."""

    def entry_functions(self, plan: LaunchPlan) -> Sequence[str]:
        """The same where it is the first of several that is come to."""

    @property
    def machinery(self) -> tuple[str, ...]:
        """How the names of functions begin that a program stops in without being meant by it.

        Above the first own frame they are passed over where a pause or an exception is shown.
        """

    @property
    def tells_threads(self) -> bool:
        """Whether it tells (DAP ``thread``) when one begins; else they are asked for at stops."""

    def thread_name(self, name: str) -> str | None:
        """The name of a thread for people; None for an entry that is no thread."""

    @property
    def keeps_values(self) -> bool:
        """Whether variables are shown as they were when their scope was asked for."""

    async def whole_text(
        self,
        evaluate: Callable[[str], Awaitable[str]],
        expression: str,
        shown: str,
        limit: int,
    ) -> tuple[str, int]:
        """The whole text of a value, of which ``shown`` is known, and how long it really is."""

    def frame_name(self, name: str) -> str:
        """The name of a frame's function for people."""

    def read_output(self, category: str, text: str) -> Said:
        """What a message of the adapter's own (not the program's) says."""

    @property
    def tells_exit_last(self) -> bool:
        """Whether it tells the exit code only when it is left."""

    def read_trace(self, text: str, message: str) -> tuple[str, str]:
        """An exception's traceback as its language prints it, and its message, as they are told."""

    def exception_text(self, text: str) -> str:
        """What an exception says, as it is shown to people."""

    async def library_folders(self, plan: Plan) -> Sequence[str]:
        """The folders of libraries, where they are known without asking the program."""

    @property
    def finds_functions(self) -> bool:
        """Whether ``find_function`` knows functions; else the adapter is asked for them."""

    @property
    def exception_moments(self) -> tuple[str, ...]:
        """When any exception stops the program by default (``breakpoints/exceptions.py``)."""

    @property
    def exception_filter_names(self) -> Mapping[str, str]:
        """DAP's filters of this adapter by those moments."""

    @property
    def exception_labels(self) -> Mapping[str, str]:
        """The moments that can be chosen, with words for people, where it knows no others."""

    @property
    def fixed_exceptions(self) -> str:
        """At which exceptions it stops, in a sentence, where nobody can choose them; else ""."""

    @property
    def probe(self) -> Probe | None:
        """What decides at breakpoints inside the program; None where the session has to."""

    @property
    def inside(self) -> Inside | None:
        """What answers tuidbg's own questions inside the program; None where nothing does."""

    @property
    def remote(self) -> RemoteQuestions | None:
        """What is asked of a program that runs elsewhere; None where nothing can be."""

    @property
    def native(self) -> NativeQuestions | None:
        """What can be asked of an adapter of native code beyond DAP; None where nothing can be."""

    @property
    def symbols(self) -> SymbolQuestions | None:
        """What can be asked of one that knows symbols and commands; None where nothing can be."""

    @property
    def tells_signals_as_codes(self) -> bool:
        """Whether a program that a signal has ended seems to have exited with a code of its own."""

    def stop_text(self, description: str) -> str:
        """What of the adapter's words for a stop says something to people, or ""."""

    def read_signal(self, description: str) -> SignalTold | None:
        """The signal that a stop's description tells of, if it is by one."""

    def function_name(self, text: str) -> str:
        """How the adapter wants the function called that a person named; "" for no name."""

    @property
    def page_templates(self) -> PageTemplates | None:
        """How breakpoints in templates are set; None where there is nothing peculiar to them."""

    @property
    def console_hint(self) -> str:
        """What can be typed at the prompt, in words."""

    @property
    def any_expression(self) -> str:
        """The DAP context in which any expression is evaluated and shown as a value."""

    def read_result(self, text: str) -> str:
        """The value in what an evaluation at the prompt gave."""

    def explain_evaluation(self, reason: str) -> str:
        """Why an expression could not be evaluated, in plain words."""

    def read_stop(self, stopped: StoppedBody) -> StoppedBody:
        """A stop in DAP's terms, of how the adapter words it."""

    def condition_failure(self, stopped: StoppedBody) -> str:
        """Why the condition of a breakpoint failed, where the program stops for that; else ""."""

    @property
    def doubts_conditions(self) -> bool:
        """Whether it stops where a condition failed, as if it were true: each is asked again."""

    @property
    def ignores_pipe(self) -> bool:
        """Whether it must be started so that SIGPIPE does not end it."""

    @property
    def keeps_conditions(self) -> bool:
        """Whether a breakpoint keeps the condition that it had first, until it is set anew."""

    @property
    def keeps_frame_ids(self) -> bool:
        """Whether the top frame of a thread has the same id at each stop."""

    @property
    def assigns(self) -> bool:
        """Whether an expression that it evaluates may be an assignment."""

    @property
    def finishes_steps(self) -> bool:
        """Whether a step that a breakpoint has cut short goes on with ``continue``."""

    @property
    def log_points(self) -> LogPoints | None:
        """The adapter's own log points, where tracepoints are better told by these."""

    @property
    def shows_set_registers(self) -> bool:
        """Whether a register that was set is told so; else only once memory was written, too."""

    @property
    def needs_files(self) -> bool:
        """Whether a breakpoint in a file that is not there makes no sense."""

    def explain_breakpoint(self, message: str) -> str:
        """Why the adapter refused a breakpoint, in plain words."""

    def stands_already(self, message: str) -> bool:
        """Whether it was refused because another one stands at the same place."""

    def exit_signal(self, code: int) -> str:
        """The name of the signal that an exit code stands for, or ""."""

    async def examine_target(self, plan: Plan) -> SourceFacts:
        """The facts of the program itself, its file found as the interpreter would find it."""

    async def examine_sources(self, plan: Plan, paths: Sequence[str]) -> Sequence[SourceFacts]:
        """The facts of some sources of the program, in the order of the paths."""

    async def find_sources(self, plan: Plan, name: str) -> Sequence[str]:
        """The sources of that name that the program was built from, as far as it tells itself."""

    async def find_function(
        self, plan: Plan, name: str, files: Sequence[str] = ()
    ) -> FunctionFacts:
        """Where the function of that name begins; ``files`` are further sources to look in."""
