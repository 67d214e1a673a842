"""The parts of an adapter's profile: start, launch, attach, stops, evaluation and others."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from tuidbg.adapters.discovery.packages import Packages
from tuidbg.adapters.log_points import LogPoints
from tuidbg.adapters.program.self_told import SelfTold
from tuidbg.config.launch import AttachPlan, LaunchPlan, Plan
from tuidbg.dap.types import Capabilities, StoppedBody

if TYPE_CHECKING:
    from tuidbg.adapters.client import AdapterClient
    from tuidbg.adapters.stand_in import StandIn
    from tuidbg.dap.connection import DapConnection


class Attach:
    """The ``attach`` request, and its obstacles."""

    @property
    def tuning(self) -> str:
        """``Launch.tuning`` for a running program, evaluated before anything else."""
        return ""

    child_event = ""
    """The custom event that announces a child process, beside DAP's ``startDebugging``."""

    connects_back = False
    """Whether tuidbg injects the debug server, which then connects without an adapter."""

    async def put_server_in(
        self, pid: int, port: int, token: str, on_waiting: Callable[[str], None]
    ) -> None:
        """Inject the debug server into a local process; it connects to that port.

        Runs until it is cancelled, as when the server has connected. ``on_waiting`` gets the reason
        of a delay. Raises AdapterError if it is impossible.
        """
        raise NotImplementedError

    def arguments(self, plan: AttachPlan) -> dict[str, Any]:
        """Return the arguments of the request."""
        return {"name": "tuidbg", "pid": plan.pid}

    def obstacle(self, pid: int) -> str:
        """Return why a local process can't be attached to; empty if no reason is known."""
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return "there is no such process"
        except PermissionError:
            return "it belongs to another user"
        return ""

    def how_to_listen(self, port: int) -> str:
        """Return the command to start a program that listens for attaching at that port."""
        return f"its debug adapter at port {port}"

    def how_to_connect(self, place: str, *, by_token: bool = False) -> str:
        """Return the command to start a program that connects to our port, or HOST:PORT."""
        return f"their debug adapter at {place}"

    async def greet_caller(self, line: socket.socket, token: str, within: float) -> DapConnection:
        """Check that the caller is a debug server that knows the ``token``, if there is one.

        It has ``within`` seconds. The conversation continues on the result, by ``caller_client``.
        Raises CallRefused.
        """
        raise NotImplementedError

    def find_caller(self, line: socket.socket) -> Callable[[int], bool]:
        """Return a check by process id: whether that local process is the caller."""
        return lambda pid: False

    def caller_client(self) -> type[AdapterClient]:
        """Return the client class for a caller."""
        raise NotImplementedError

    def lets_go(self, plan: AttachPlan) -> bool:
        """Return whether detaching lets an attached program run on without its breakpoints."""
        return True

    def core_obstacle(self, plan: AttachPlan) -> str:
        """Return why the plan's core file can't be opened; empty if no reason is known."""
        return f"{plan.adapter} opens no core files"

    def program_of(self, pid: int) -> str:
        """Return what a local process runs, in a word; empty if unknown."""
        return ""

    def self_question(self, names: Collection[str] | None) -> str:
        """Return an expression for a process's facts, with these variables (None: all).

        Empty if unsupported; ``read_self`` parses the result, and raises ValueError.
        """
        return ""

    def read_self(self, answer: str) -> SelfTold:
        """Parse the result of ``self_question``."""
        return SelfTold()

    def explain_refusal(self, reason: str) -> str:
        """Return the adapter's error in plain words."""
        return reason


class PageTemplates(Protocol):
    """Breakpoints in web page templates, for which the program must be prepared."""

    @property
    def module(self) -> str:
        """The ``Inside`` module that prepares the program, by its function ``prepare``."""

    @property
    def waiting(self) -> str:
        """The beginning of the response for a template that was not rendered yet."""

    def includes(self, path: str) -> bool:
        """Return whether a file is a template, by its name."""

    def arguments(self, plan: Plan) -> Sequence[object]:
        """Return the arguments of ``prepare`` for this program."""


class Breakpoints:
    """Breakpoints in lines and functions, their conditions and their log points."""

    late_answer = ""
    """The message of a breakpoint set when its file is loaded; "" for none."""

    answers_news_only = False
    """Whether it answers unchanged breakpoints that are sent again with an empty list."""

    needs_files = False
    """Whether a breakpoint in a missing file is invalid."""

    keeps_conditions = False
    """Whether a breakpoint keeps its first condition until it is set again."""

    doubts_conditions = True
    """Whether it stops at a failed condition as if it were true: each is evaluated again."""

    may_come_later = False
    """Whether a library that is loaded later may contain a missing function."""

    log_points: LogPoints | None = None
    """The adapter's own log points, if tracepoints work better with them."""

    page_templates: PageTemplates | None = None
    """How breakpoints in templates are set; None without peculiarities."""

    def function_name(self, text: str) -> str:
        """Convert a function name to the adapter's form; empty for an invalid one."""
        name = text.removesuffix("()").replace(":", ".")
        parts = (part for part in name.split(".") if part != "<locals>")
        return name if name and all(part.isidentifier() for part in parts) else ""

    def explain_refusal(self, message: str) -> str:
        """Return why the adapter refused a breakpoint, in plain words."""
        return message

    def stands_already(self, message: str) -> bool:
        """Return whether it was refused because another breakpoint is at the same place."""
        return False

    def condition_failure(self, stopped: StoppedBody) -> str:
        """Return why a condition failed, if that stopped the program; else ""."""
        return ""


class Said(msgspec.Struct, frozen=True):
    """A parsed adapter message: words for the user, and the exit code.

    Some adapters report it in words only. ``has_ended``: an attached program was ended with the
    adapter.
    """

    text: str = ""
    exit_code: int | None = None
    has_ended: bool = False


class Ending:
    """The adapter's messages, and the program's exit code."""

    lost_program: tuple[str, ...] = ()
    """Parts of an error response to a request during which the program ended."""

    tells_exit_last = False
    """Whether it reports the exit code only at the disconnect."""

    tells_signals_as_codes = False
    """Whether it reports a program killed by a signal with an exit code of its own."""

    def read_output(self, category: str, text: str) -> Said:
        """Parse a message of the adapter itself (not the program's)."""
        return Said(text)

    def needs_adapter(self, words: Sequence[str]) -> bool:
        """Return whether a process started by these words can't start without the adapter.

        It has been given the adapter's address by its parent, and dies without an answer.
        """
        return False

    def exit_signal(self, code: int) -> str:
        """Return the signal that an exit code represents, or ""."""
        try:
            return signal.Signals(-code).name if code < 0 else ""
        except ValueError:
            return ""


class Exceptions:
    """Exception breakpoints by their moments, and the words of an exception."""

    moments: tuple[str, ...] = ()
    """The moments at which any exception stops by default (``kinds/exceptions.py``)."""

    filter_names: Mapping[str, str] = MappingProxyType({})
    """DAP's filters of this adapter by moment."""

    labels: Mapping[str, str] = MappingProxyType({})
    """The available moments with labels, if it has no others."""

    fixed = ""
    """The exceptions that it stops at, in a sentence, if they can't be chosen; else ""."""

    def read_trace(self, text: str, message: str) -> tuple[str, str]:
        """Return an exception's traceback as its language prints it, and its message."""
        return text, message

    def text(self, text: str) -> str:
        """Return an exception's message for display."""
        return text


class SourceProblem(msgspec.Struct, frozen=True):
    """Why a source can't run, with the place of syntax errors (lines, columns from 1)."""

    message: str
    path: str = ""
    line: int = 0
    column: int = 0
    text: str = ""


class SourceFacts(msgspec.Struct, frozen=True):
    """What a source's interpreter knows of it without running it.

    ``code_lines`` are the lines that can break, in order; empty if unknown.
    """

    path: str = ""
    code_lines: tuple[int, ...] = ()
    problem: SourceProblem | None = None


class FunctionPlace(msgspec.Struct, frozen=True):
    """The place of a function: its first line that can break, and its name in its file."""

    path: str
    line: int
    name: str


class FunctionFacts(msgspec.Struct, frozen=True):
    """What is known of a function by its name, without running anything.

    Several places if the name is defined several times (redefinitions, a property's getter and
    setter); none if there is no such function, and then ``problem`` says why in a sentence.
    """

    places: tuple[FunctionPlace, ...] = ()
    problem: str = ""
    is_final: bool = False
    """The module exists without such a function; else it may come later."""


class RemoteQuestions(Protocol):
    """Expressions for a remote program, or one with other folder names."""

    def reference(self, path: str) -> str:
        """Return an expression for the number with which ``source`` returns a remote file."""

    def map_paths(self, mappings: Mapping[str, str]) -> str:
        """Return one that makes the program use the local names of its folders (here: there)."""

    def missing(self, folders: Sequence[str]) -> str:
        """Return one for the folders that don't exist where the program runs."""

    def read_missing(self, answer: str) -> Sequence[str]:
        """Parse these folders from the result."""


class Sources:
    """The program's sources, without running them, and which of them are own code."""

    watched: tuple[str, ...] = ()
    """Patterns of the program's possible sources (``--watch``)."""

    roots_question = ""
    """An expression for the folders of libraries and of own code; empty if none is known."""

    are_compiled = False
    """Whether the plan's target is built from them, so that they may be newer than it."""

    finds_functions = True
    """Whether ``find_function`` works; else the adapter is asked."""

    def takes(self, path: str) -> bool:
        """Return whether breakpoints in a file of that name are sent to the adapter."""
        return True

    def arguments(
        self,
        just_my_code: bool,
        rules: Sequence[dict[str, Any]],
        mappings: Sequence[dict[str, str]],
    ) -> dict[str, Any]:
        """Return the source-related arguments of the ``launch`` and ``attach`` requests.

        They specify which sources to skip, and how paths are mapped.
        """
        return {}

    def live_rules(self, just_my_code: bool, rules: Sequence[dict[str, Any]]) -> str:
        """Return an expression that applies the rules in the running program, or ""."""
        return ""

    def read_roots(self, answer: str) -> tuple[Sequence[str], Sequence[str]]:
        """Parse the folders from the result of ``roots_question``."""
        return (), ()

    async def library_folders(self, plan: Plan) -> Sequence[str]:
        """Return the library folders known without asking the program."""
        return ()

    def own_folder(self, plan: Plan) -> str:
        """Return the folder of an installed program, which is own code; else empty."""
        return ""

    async def examine_target(self, plan: Plan) -> SourceFacts:
        """Return the facts of the program itself, found as the interpreter would find it."""
        return SourceFacts()

    async def examine(self, plan: Plan, paths: Sequence[str]) -> Sequence[SourceFacts]:
        """Return the facts of some sources of the program, in the order of the paths."""
        return [SourceFacts(path) for path in paths]

    def find(self, plan: Plan, name: str) -> Sequence[str]:
        """Return the sources of that name recorded in the program.

        Blocks for a moment.
        """
        return ()

    async def find_function(
        self, plan: Plan, name: str, files: Sequence[str] = ()
    ) -> FunctionFacts:
        """Find the start of the named function; ``files`` are further sources."""
        return FunctionFacts()


class TerminalWay(StrEnum):
    """How the program gets its terminal.

    ``asked_for``: the adapter requests a start there (DAP ``runInTerminal``). ``named``: the launch
    request names the terminal. ``shared``: the adapter itself runs on it.
    """

    ASKED_FOR = "asked_for"
    NAMED = "named"
    SHARED = "shared"


@dataclass(frozen=True)
class StartCommand:
    """The command that starts a program with its debug server.

    ``env`` is merged into tuidbg's own environment, None unsets a name. With ``captures_output``
    the program's streams are pipes to tuidbg.
    """

    args: Sequence[str]
    cwd: str
    env: Mapping[str, str | None]
    captures_output: bool


@dataclass(frozen=True)
class IncomingServer:
    """A debug server that has connected, and the process it is in."""

    line: socket.socket
    connection: DapConnection
    pid: int
    ppid: int | None


class Launch:
    """The ``launch`` request, and where the program stops on entry."""

    terminal = TerminalWay.ASKED_FOR
    """How its program gets a terminal."""

    @property
    def tuning(self) -> str:
        """An expression evaluated in the program once a session to make it fast; may be empty.

        Its value is a sentence about a failure, or empty.
        """
        return ""

    by_interpreter = False
    """Whether the plan's interpreter runs the program, so that its version matters."""

    patience = 0.0
    """Seconds within which its programs must be there; 0 for the default."""

    def arguments(self, plan: LaunchPlan, target: SourceFacts, tty: str = "") -> dict[str, Any]:
        """Return the arguments of the request; ``tty`` is the program's terminal, if named."""
        raise NotImplementedError

    connects_back = False
    """Whether the program's debug server connects to tuidbg, without an adapter."""

    def start_command(self, plan: LaunchPlan, port: int, token: str) -> StartCommand:
        """Return the command for ``connects_back``: to that port of 127.0.0.1, with the token."""
        raise NotImplementedError

    async def identify(self, line: socket.socket, token: str, within: float) -> IncomingServer:
        """Identify a connected debug server within some seconds. Raises CallRefused."""
        raise NotImplementedError

    def command_line(self, plan: LaunchPlan) -> Sequence[str]:
        """Return the command that starts the program without a debugger."""
        return plan.target, *plan.args

    def is_there(self, plan: LaunchPlan) -> bool:
        """Return whether there is something to run: a folder may be a program, too."""
        return Path(plan.target).exists()

    def preparing(self, plan: LaunchPlan) -> str:
        """Return what happens before the program starts, as ``building main.go``, or ""."""
        return ""

    def explain_failure(self, reason: str) -> SourceProblem:
        """Return why a launch failed: the reason in plain words, and the line if known."""
        return SourceProblem(reason)

    def entry_line(self, plan: LaunchPlan, target: SourceFacts) -> int | None:
        """Return the line at which tuidbg must stop on entry; None if the adapter does it."""
        return None

    def entry_function(self, plan: LaunchPlan) -> str:
        """Return the function at which tuidbg must stop on entry, or ""."""
        return ""

    def entry_functions(self, plan: LaunchPlan) -> Sequence[str]:
        """Return several such functions, of which the first one reached counts."""
        return (name,) if (name := self.entry_function(plan)) else ()

    def entry_expression(self, plan: LaunchPlan, target: SourceFacts) -> str:
        """Return an expression that stops the program on entry (its value is None), or ""."""
        return ""


class Line(StrEnum):
    """The connection between tuidbg and an adapter.

    ``streams``: by the adapter's stdin and stdout. ``calls_back``: it connects to the address in
    its command. ``listens``: it listens there; tuidbg connects as soon as it does.
    ``runs_already``: it is not started; tuidbg connects to ``Start.address``.
    """

    STREAMS = "streams"
    CALLS_BACK = "calls_back"
    LISTENS = "listens"
    RUNS_ALREADY = "runs_already"


class Start:
    """The adapter itself: its command, its version, its connection."""

    line = Line.STREAMS
    """The kind of connection."""

    address: tuple[str, int] | None = None
    """Host and port of a running adapter; None for one that is started."""

    begins_again = False
    """Whether the program is a second conversation at its port (``parent_session.py``)."""

    is_included = False
    """Whether it is part of tuidbg: it need not be looked for before the launch."""

    packages = Packages()
    """The packages that install it."""

    version_words: tuple[str, ...] = ("--version",)
    """The arguments with which its command prints its version."""

    ignores_pipe = False
    """Whether it must be started with SIGPIPE ignored."""

    announces = Capabilities()
    """The capabilities known before it runs."""

    def command(self, address: str = "") -> list[str]:
        """Return the command; ``address`` (HOST:PORT) is where it connects or listens.

        Raises AdapterNotStarted, with installation advice, if it is not installed.
        """
        raise NotImplementedError

    def command_for(self, plan: Plan, address: str = "") -> list[str]:
        """Return the command for one program, which it may contain. Raises AdapterNotStarted."""
        return self.command(address)

    async def reach(self, client: AdapterClient) -> None:
        """Connect to ``address``. Raises OSError, AdapterGone."""
        assert self.address is not None
        await client.over_tcp(*self.address)

    def locate(self) -> str:
        """Return its location for the user. Raises AdapterNotStarted if it is not installed."""
        return self.command()[0]

    def read_version(self) -> str:
        """Return its version, empty if unknown. Blocks: it may run a process."""
        from tuidbg.adapters.discovery.packages import ask_version

        return ask_version([self.locate(), *self.version_words])

    def gaps(self, version: str) -> str:
        """Return the missing features of that version in a sentence, or "". Blocks."""
        return ""

    def environment(self) -> Mapping[str, str]:
        """Return the additions to its environment."""
        return {}

    def stand_in(self, told: Capabilities) -> StandIn | None:
        """Return the replacement for some requests, by the capabilities; None if not needed."""
        return None


class SignalTold(msgspec.Struct, frozen=True):
    """The signal that has stopped the program: its name, and its meaning in a sentence.

    ``is_pause``: a debugger's pause, or the user's Ctrl+C.
    """

    name: str
    text: str
    is_pause: bool = False


class Stops:
    """Stops, with their threads and frames."""

    machinery: tuple[str, ...] = ()
    """Name prefixes of functions in which a program stops incidentally.

    Above the first own frame they are skipped when a pause or an exception is shown.
    """

    tells_threads = True
    """Whether it reports new threads (DAP ``thread``); else they are requested at stops."""

    keeps_frame_ids = False
    """Whether the top frame of a thread has the same id at each stop."""

    finishes_steps = False
    """Whether a step interrupted by a breakpoint is finished by ``continue``."""

    pauses_need = ""
    """What must run in the program for a pause to happen (``Python code``); "" for nothing."""

    pauses_wait_in = ""
    """What may delay a pause, in words."""

    hides_pauses = False
    """Whether it may report a pause as a step or a breakpoint while libraries are loaded."""

    continues_late = False
    """Whether it may report a thread as ``continued`` after another one has stopped again."""

    def read(self, stopped: StoppedBody) -> StoppedBody:
        """Convert the adapter's stop to DAP's terms."""
        return stopped

    def text(self, description: str) -> str:
        """Return the part of a stop's description that is useful to the user, or ""."""
        return description

    def read_signal(self, description: str) -> SignalTold | None:
        """Return the signal in a stop's description, if any."""
        return None

    def thread_name(self, name: str) -> str | None:
        """Return a thread's display name; None for an entry that is no thread."""
        return name

    def frame_name(self, name: str) -> str:
        """Return the display name of a frame's function."""
        return name


class Values:
    """Expressions, their values, and assignment to variables."""

    console_hint = "expression"
    """The kind of input accepted at the prompt."""

    any_expression = "watch"
    """The DAP context in which any expression is evaluated and shown as a value."""

    prompt_context = "watch"
    """The DAP context for the prompt and ``evaluate``; "repl" only if that evaluates code.

    The "repl" of gdb, say, is its command line, where ``d`` deletes all breakpoints.
    """

    assigns = False
    """Whether an evaluated expression may be an assignment."""

    stay_as_told = False
    """Whether variables keep the values they had when their scope was requested."""

    shows_set_registers = True
    """Whether a changed register is reported; else only after a memory write, too."""

    has_pages = True
    """Whether it returns ranges of a variable's children; else always all of them."""

    address_expression = ""
    """The expression for the address of ``{}``, another one; "" if unknown."""

    patience = float("inf")
    """Seconds after which the adapter resumes other threads to evaluate variables, or inf."""

    async def whole_text(
        self,
        evaluate: Callable[[str], Awaitable[str]],
        expression: str,
        shown: str,
        limit: int,
    ) -> tuple[str, int]:
        """Return the complete text of a value, of which ``shown`` is known, and its full length."""
        return shown[:limit], len(shown)

    def type_name(self, name: str) -> str:
        """Return the display name of a value's type."""
        return name

    def read_result(self, text: str) -> str:
        """Return the value in the result of an evaluation at the prompt."""
        return text

    def explain_failure(self, reason: str) -> str:
        """Return why an expression could not be evaluated, in plain words."""
        return reason
