"""The parts of an adapter's profile: how it is started, launches, attaches, stops and evaluates."""

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
    from tuidbg.dap.connection import Connection


class Attach:
    """The ``attach`` request, and what stands in its way."""

    tuning = ""
    """``Launch.tuning`` for a program that runs already, before anything else is asked of it."""

    child_event = ""
    """The event of its own that tells of a further process, beside DAP's ``startDebugging``."""

    connects_back = False
    """True if tuidbg puts the debug server into a process, which connects to it without adapter."""

    async def put_server_in(
        self, pid: int, port: int, token: str, on_waiting: Callable[[str], None]
    ) -> None:
        """Put the debug server into a process of this machine; it connects to that port.

        Runs until it is cancelled, as when the server has connected. ``on_waiting`` gets the reason
        where it takes long. Raises AdapterError where it can't be done.
        """
        raise NotImplementedError

    def arguments(self, plan: AttachPlan) -> dict[str, Any]:
        """The arguments of the request."""
        return {"name": "tuidbg", "pid": plan.pid}

    def obstacle(self, pid: int) -> str:
        """Tells why a process of this machine can't be attached to; empty where none is known."""
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return "there is no such process"
        except PermissionError:
            return "it belongs to another user"
        return ""

    def how_to_listen(self, port: int) -> str:
        """The command that starts a program which can be attached to by that port."""
        return f"its debug adapter at port {port}"

    def how_to_connect(self, place: str, *, by_token: bool = False) -> str:
        """The command that starts a program which connects to that port, or HOST:PORT, of ours."""
        return f"their debug adapter at {place}"

    async def greet_caller(self, line: socket.socket, token: str, within: float) -> Connection:
        """Hear whether it is a program of its own that has called us, and knows the ``token``.

        An empty one need not be known. It has ``within`` seconds for that. The conversation goes
        on with what is returned, by ``caller_client``. Raises CallRefused.
        """
        raise NotImplementedError

    def find_caller(self, line: socket.socket) -> Callable[[int], bool]:
        """Returns a check by process id: whether that process of this machine is the caller."""
        return lambda pid: False

    def caller_client(self) -> type[AdapterClient]:
        """How one that has called is spoken to."""
        raise NotImplementedError

    def lets_go(self, plan: AttachPlan) -> bool:
        """True if it lets an attached program run on when it is left, without its breakpoints."""
        return True

    def core_obstacle(self, plan: AttachPlan) -> str:
        """Returns why the plan's core file can't be opened; empty where nothing is known."""
        return f"{plan.adapter} opens no core files"

    def program_of(self, pid: int) -> str:
        """Tells what a process of this machine runs, in a word; empty where nobody can tell."""
        return ""

    def self_question(self, names: Collection[str] | None) -> str:
        """An expression that tells what a process knows of itself, of variables these (None: all).

        Empty where none can be asked; ``read_self`` reads the answer, and raises ValueError.
        """
        return ""

    def read_self(self, answer: str) -> SelfTold:
        """The answer to that."""
        return SelfTold()

    def explain_refusal(self, reason: str) -> str:
        """The adapter's answer to the request in plain words."""
        return reason


class PageTemplates(Protocol):
    """Breakpoints in templates of web pages, where the adapter must be prepared for them."""

    @property
    def module(self) -> str:
        """The ``Inside`` module that prepares the program's side, by its function ``prepare``."""

    @property
    def waiting(self) -> str:
        """Returns how the answer begins for one whose template was not rendered yet."""

    def includes(self, path: str) -> bool:
        """True for a file that is a template, by its name."""

    def arguments(self, plan: Plan) -> Sequence[object]:
        """Returns what ``prepare`` is told for this program."""


class Breakpoints:
    """Breakpoints in lines and functions, their conditions and their log points."""

    late_answer = ""
    """Is said of a breakpoint that is set when its file is loaded; "" where nothing is."""

    answers_news_only = False
    """True if it answers breakpoints that it has already, sent once more, by an empty list."""

    needs_files = False
    """True if a breakpoint in a file that is not there makes no sense."""

    keeps_conditions = False
    """True if a breakpoint keeps the condition that it had first, until it is set anew."""

    doubts_conditions = True
    """True if it stops where a condition failed, as if it were true: each is asked again."""

    may_come_later = False
    """True if a library that is loaded later may bring a function that is not there yet."""

    log_points: LogPoints | None = None
    """The adapter's own log points, where tracepoints are better told by these."""

    page_templates: PageTemplates | None = None
    """Tells how breakpoints in templates are set; None where there is nothing peculiar to them."""

    def function_name(self, text: str) -> str:
        """Returns how the adapter wants the function called that a person named; "" for no name."""
        name = text.removesuffix("()").replace(":", ".")
        parts = (part for part in name.split(".") if part != "<locals>")
        return name if name and all(part.isidentifier() for part in parts) else ""

    def explain_refusal(self, message: str) -> str:
        """Returns why the adapter refused a breakpoint, in plain words."""
        return message

    def stands_already(self, message: str) -> bool:
        """True if it was refused because another one stands at the same place."""
        return False

    def condition_failure(self, stopped: StoppedBody) -> str:
        """Tells why a breakpoint's condition failed, where the program stops for that; else ""."""
        return ""


class Said(msgspec.Struct, frozen=True):
    """Holds what an adapter's own message comes down to: words for the person, and the exit code.

    There are adapters that tell it in words only. ``has_ended``: a program that was attached to
    has been ended with the adapter.
    """

    text: str = ""
    exit_code: int | None = None
    has_ended: bool = False


class Ending:
    """The adapter's messages, and the program's exit code."""

    lost_program: tuple[str, ...] = ()
    """Words of the adapter's answer to a request in the midst of which the program ended."""

    tells_exit_last = False
    """True if it tells the exit code only when it is left."""

    tells_signals_as_codes = False
    """True if a program that a signal has ended seems to have exited with a code of its own."""

    def read_output(self, category: str, text: str) -> Said:
        """Returns what a message of the adapter's own (not the program's) says."""
        return Said(text)

    def needs_adapter(self, words: Sequence[str]) -> bool:
        """Returns whether a process that these words started can't begin without the adapter.

        It has been given the adapter's address by its parent, and dies where nobody answers.
        """
        return False

    def exit_signal(self, code: int) -> str:
        """The name of the signal that an exit code stands for, or ""."""
        try:
            return signal.Signals(-code).name if code < 0 else ""
        except ValueError:
            return ""


class Exceptions:
    """Exception breakpoints by their moments, and an exception's words."""

    moments: tuple[str, ...] = ()
    """Tells when any exception stops the program by default (``breakpoints/exceptions.py``)."""

    filter_names: Mapping[str, str] = MappingProxyType({})
    """DAP's filters of this adapter by those moments."""

    labels: Mapping[str, str] = MappingProxyType({})
    """The moments that can be chosen, with words for people, where it knows no others."""

    fixed = ""
    """At which exceptions it stops, in a sentence, where nobody can choose them; else ""."""

    def read_trace(self, text: str, message: str) -> tuple[str, str]:
        """An exception's traceback as its language prints it, and its message, as they are told."""
        return text, message

    def text(self, text: str) -> str:
        """Returns what an exception says, as it is shown to people."""
        return text


class SourceProblem(msgspec.Struct, frozen=True):
    """Tells why a source can't be run: what, and where in syntax errors (lines, columns from 1)."""

    message: str
    path: str = ""
    line: int = 0
    column: int = 0
    text: str = ""


class SourceFacts(msgspec.Struct, frozen=True):
    """Holds what the interpreter that runs a source says of it, without running it.

    ``code_lines`` are the lines that can break, in order; empty where nobody knows.
    """

    path: str = ""
    code_lines: tuple[int, ...] = ()
    problem: SourceProblem | None = None


class FunctionPlace(msgspec.Struct, frozen=True):
    """Tells where a function begins: its first line that can break, and its name in its file."""

    path: str
    line: int
    name: str


class FunctionFacts(msgspec.Struct, frozen=True):
    """Holds what is known of a function that a person named, without running anything.

    Several places where the name is defined several times (redefinitions, a property's getter and
    setter); none where there is no such function, and then ``problem`` says why in a sentence.
    """

    places: tuple[FunctionPlace, ...] = ()
    problem: str = ""
    is_final: bool = False
    """The module is there and has no such function; else it may come later."""


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


class Sources:
    """The program's sources, without running them, and which of them are the person's own."""

    watched: tuple[str, ...] = ()
    """Patterns of the sources that the program may be made of (``--watch``)."""

    roots_question = ""
    """An expression for the folders of libraries and of own code; empty if none is known."""

    are_compiled = False
    """True if the plan's target is built of them, so that they may be newer than that."""

    finds_functions = True
    """True if ``find_function`` knows functions; else the adapter is asked for them."""

    def takes(self, path: str) -> bool:
        """Whether breakpoints in a file of that name may be the adapter's; others are not sent."""
        return True

    def arguments(
        self,
        just_my_code: bool,
        rules: Sequence[dict[str, Any]],
        mappings: Sequence[dict[str, str]],
    ) -> dict[str, Any]:
        """The part of the ``launch`` and ``attach`` requests that is about sources.

        It says which of them to pass over, and how their paths differ.
        """
        return {}

    def live_rules(self, just_my_code: bool, rules: Sequence[dict[str, Any]]) -> str:
        """An expression that puts that in force in the living program; empty if it can't."""
        return ""

    def read_roots(self, answer: str) -> tuple[Sequence[str], Sequence[str]]:
        """The folders of ``roots_question``, of what it evaluated to."""
        return (), ()

    async def library_folders(self, plan: Plan) -> Sequence[str]:
        """The folders of libraries, where they are known without asking the program."""
        return ()

    def own_folder(self, plan: Plan) -> str:
        """The folder of an installed program, which is own code; empty where it isn't installed."""
        return ""

    async def examine_target(self, plan: Plan) -> SourceFacts:
        """The facts of the program itself, its file found as the interpreter would find it."""
        return SourceFacts()

    async def examine(self, plan: Plan, paths: Sequence[str]) -> Sequence[SourceFacts]:
        """The facts of some sources of the program, in the order of the paths."""
        return [SourceFacts(path) for path in paths]

    def find(self, plan: Plan, name: str) -> Sequence[str]:
        """The sources of that name that the program was built from, as far as it tells itself.

        Blocks for a moment.
        """
        return ()

    async def find_function(
        self, plan: Plan, name: str, files: Sequence[str] = ()
    ) -> FunctionFacts:
        """Tells where the function of that name begins; ``files`` are further sources."""
        return FunctionFacts()


class TerminalWay(StrEnum):
    """Tells how the program gets on the terminal that tuidbg has for it.

    ``asked_for``: the adapter asks us to start it there (DAP ``runInTerminal``). ``named``: the
    launch request names the terminal. ``shared``: the adapter itself runs on it.
    """

    ASKED_FOR = "asked_for"
    NAMED = "named"
    SHARED = "shared"


@dataclass(frozen=True)
class StartCommand:
    """The command that starts a program with its debug server.

    ``env`` is laid over tuidbg's own environment, None unsets a name. With ``captures_output`` the
    program's streams are pipes to tuidbg.
    """

    args: Sequence[str]
    cwd: str
    env: Mapping[str, str | None]
    captures_output: bool


@dataclass(frozen=True)
class IncomingServer:
    """A debug server that has connected, and the process it is in."""

    line: socket.socket
    connection: Connection
    pid: int
    ppid: int | None


class Launch:
    """The ``launch`` request, and where the program stops on entry."""

    terminal = TerminalWay.ASKED_FOR
    """Tells how its program gets a terminal."""

    tuning = ""
    """An expression evaluated in the program once a session to make it fast; may be empty.

    Its value is a sentence about what could not be done, or an empty one.
    """

    by_interpreter = False
    """True if the plan's interpreter runs the program, and its version matters for that."""

    patience = 0.0
    """Seconds within which its programs must be there; 0 where nothing is peculiar to it."""

    def arguments(self, plan: LaunchPlan, target: SourceFacts, tty: str = "") -> dict[str, Any]:
        """The arguments of the request; ``tty`` is the program's terminal, if named."""
        raise NotImplementedError

    connects_back = False
    """True if the debug server in the program connects to tuidbg, and no adapter is started."""

    def start_command(self, plan: LaunchPlan, port: int, token: str) -> StartCommand:
        """Where it ``connects_back``: to that port of 127.0.0.1, with the token."""
        raise NotImplementedError

    async def identify(self, line: socket.socket, token: str, within: float) -> IncomingServer:
        """Ask a debug server that has connected; seconds that it may take. Raises CallRefused."""
        raise NotImplementedError

    def command_line(self, plan: LaunchPlan) -> Sequence[str]:
        """The words by which the program is started without a debugger."""
        return plan.target, *plan.args

    def is_there(self, plan: LaunchPlan) -> bool:
        """True if there is something to run: a folder may be a program, too."""
        return Path(plan.target).exists()

    def preparing(self, plan: LaunchPlan) -> str:
        """Returns what happens before the program starts, as ``building main.go``, or ""."""
        return ""

    def explain_failure(self, reason: str) -> SourceProblem:
        """Tells why a launch failed: the adapter's reason in plain words, and the line if known."""
        return SourceProblem(reason)

    def entry_line(self, plan: LaunchPlan, target: SourceFacts) -> int | None:
        """Tells where tuidbg must stop the program on entry; None where the adapter does it."""
        return None

    def entry_function(self, plan: LaunchPlan) -> str:
        """The function at which tuidbg itself must stop the program on entry, or ""."""
        return ""

    def entry_functions(self, plan: LaunchPlan) -> Sequence[str]:
        """The same where it is the first of several that is come to."""
        return (name,) if (name := self.entry_function(plan)) else ()

    def entry_expression(self, plan: LaunchPlan, target: SourceFacts) -> str:
        """An expression that has the program stop on entry; its value is None. "" for none."""
        return ""


class Line(StrEnum):
    """Tells how tuidbg and an adapter speak.

    ``streams``: by the adapter's stdin and stdout. ``calls_back``: it dials the address that its
    command names. ``listens``: it listens there, and is dialled as soon as it does.
    ``runs_already``: nothing is started, ``Start.address`` is dialled.
    """

    STREAMS = "streams"
    CALLS_BACK = "calls_back"
    LISTENS = "listens"
    RUNS_ALREADY = "runs_already"


class Start:
    """The adapter itself: its command, its version, its line."""

    line = Line.STREAMS
    """Tells how it is spoken to."""

    address: tuple[str, int] | None = None
    """Host and port of one that runs already; None for those that are started."""

    begins_again = False
    """True if the program is a second conversation at its port (``root_session.py``)."""

    is_included = False
    """True if it comes with tuidbg: nobody looks for it before the program is launched."""

    packages = Packages()
    """Names what brings it where it is missing."""

    version_words: tuple[str, ...] = ("--version",)
    """The arguments with which its command tells its version."""

    ignores_pipe = False
    """True if it must be started so that SIGPIPE does not end it."""

    announces = Capabilities()
    """Holds what it is known to announce, for those who ask before it runs."""

    def command(self, address: str = "") -> list[str]:
        """The command that starts the adapter; ``address`` (HOST:PORT) is where one dials us.

        Or where it shall listen. Raises AdapterNotStarted, with what to install, where it is not
        installed.
        """
        raise NotImplementedError

    def command_for(self, plan: Plan, address: str = "") -> list[str]:
        """The same for one program, which the command may name. Raises AdapterNotStarted."""
        return self.command(address)

    async def reach(self, client: AdapterClient) -> None:
        """Dial ``address``. Raises OSError, AdapterGone."""
        assert self.address is not None
        await client.over_tcp(*self.address)

    def locate(self) -> str:
        """Returns where it is, for people. Raises AdapterNotStarted where it is not installed."""
        return self.command()[0]

    def read_version(self) -> str:
        """Its version, empty where it does not tell. Blocks: perhaps a process is asked."""
        from tuidbg.adapters.discovery.packages import ask_version

        return ask_version([self.locate(), *self.version_words])

    def gaps(self, version: str) -> str:
        """Returns in a sentence what that version lacks and newer ones have, or "". Blocks."""
        return ""

    def environment(self) -> Mapping[str, str]:
        """Returns what its environment gets."""
        return {}

    def stand_in(self, told: Capabilities) -> StandIn | None:
        """Returns what answers some requests in its place, by what it can; None: it does all."""
        return None


class SignalTold(msgspec.Struct, frozen=True):
    """A signal that has stopped the program: its name, and what it means in a sentence.

    ``is_pause``: it is how a debugger, or a person with Ctrl+C, pauses a program.
    """

    name: str
    text: str
    is_pause: bool = False


class Stops:
    """Stops, and the threads and frames that are seen at them."""

    machinery: tuple[str, ...] = ()
    """Tells how the names of functions begin that a program stops in without being meant by it.

    Above the first own frame they are passed over where a pause or an exception is shown.
    """

    tells_threads = True
    """True if it tells (DAP ``thread``) when one begins; else they are asked for at stops."""

    keeps_frame_ids = False
    """True if the top frame of a thread has the same id at each stop."""

    finishes_steps = False
    """True if a step that a breakpoint has cut short goes on with ``continue``."""

    pauses_need = ""
    """What must run in the program for a pause to happen (``Python code``); "" where nothing."""

    pauses_wait_in = ""
    """What it may do meanwhile instead, in words."""

    hides_pauses = False
    """True if a pause may be told as a step or a breakpoint, while libraries are loaded."""

    continues_late = False
    """True if it may tell that a thread goes on (``continued``) when another one stands again."""

    def read(self, stopped: StoppedBody) -> StoppedBody:
        """A stop in DAP's terms, of how the adapter words it."""
        return stopped

    def text(self, description: str) -> str:
        """Returns what of the adapter's words for a stop says something to people, or ""."""
        return description

    def read_signal(self, description: str) -> SignalTold | None:
        """The signal that a stop's description tells of, if it is by one."""
        return None

    def thread_name(self, name: str) -> str | None:
        """The name of a thread for people; None for an entry that is no thread."""
        return name

    def frame_name(self, name: str) -> str:
        """The name of a frame's function for people."""
        return name


class Values:
    """Expressions, their values, and variables that are set."""

    console_hint = "expression"
    """Says what can be typed at the prompt."""

    any_expression = "watch"
    """The DAP context in which any expression is evaluated and shown as a value."""

    prompt_context = "watch"
    """The DAP context for the prompt and ``evaluate``; "repl" only where it evaluates code.

    The "repl" of gdb, say, is its command line, where ``d`` deletes all breakpoints.
    """

    assigns = False
    """True if an expression that it evaluates may be an assignment."""

    stay_as_told = False
    """True if variables are shown as they were when their scope was asked for."""

    shows_set_registers = True
    """True if a register that was set is told so; else only once memory was written, too."""

    has_pages = True
    """True if it gives some of a variable's children, from one on; else always all of them."""

    address_expression = ""
    """The expression for the address of ``{}``, another one; "" where none is known."""

    patience = float("inf")
    """Seconds after which the adapter resumes other threads to work out variables, or inf."""

    async def whole_text(
        self,
        evaluate: Callable[[str], Awaitable[str]],
        expression: str,
        shown: str,
        limit: int,
    ) -> tuple[str, int]:
        """The whole text of a value, of which ``shown`` is known, and how long it really is."""
        return shown[:limit], len(shown)

    def type_name(self, name: str) -> str:
        """The name of a value's type for people."""
        return name

    def read_result(self, text: str) -> str:
        """The value in what an evaluation at the prompt gave."""
        return text

    def explain_failure(self, reason: str) -> str:
        """Returns why an expression could not be evaluated, in plain words."""
        return reason
