"""The profile of lldb-dap 22, and of 19 as far as possible."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from tuidbg.adapters.discovery.binaries import find_sources
from tuidbg.adapters.discovery.packages import Packages, not_installed
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.languages import C_FAMILY
from tuidbg.adapters.lldb import expressions as evaluating
from tuidbg.adapters.lldb import rust, wording
from tuidbg.adapters.lldb.binary import binary_problem, core_problem
from tuidbg.adapters.lldb.older import OlderLldb
from tuidbg.adapters.lldb.questions import LldbQuestions, LldbSymbols
from tuidbg.adapters.lldb.version import WatchpointIds, ask_by_dap, gaps_of, is_older_path
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.adapters.program.blocked import trace_obstacle
from tuidbg.adapters.stand_in import StandIn
from tuidbg.adapters.traits import (
    Attach,
    Breakpoints,
    Ending,
    Exceptions,
    Launch,
    Said,
    SignalTold,
    SourceFacts,
    SourceProblem,
    Sources,
    Start,
    Stops,
    TerminalWay,
    Values,
)
from tuidbg.config.launch import AttachPlan, LaunchPlan, Plan
from tuidbg.dap.types import Capabilities, StoppedBody

_NAME = "lldb-dap"
NAMES = ("lldb-dap", "lldb-dap-22", "lldb-dap-21", "lldb-dap-20", "lldb-dap-19")


_MACHINERY = (
    *("__cxa_", "std::terminate", "___lldb_unnamed_symbol", "__pthread_kill", "__GI_", "raise"),
    *("abort", "__assert_fail", "__kernel_vsyscall", "__libc_", "__nanosleep", "clock_nanosleep"),
    *("usleep", "sleep", "syscall"),
    *("alloc::", "core::", "std::", "<alloc::", "<core::", "rust_", "__rustc::"),
)
"""Name prefixes of library functions in which programs are paused, or die."""

_LIBRARIES = ("/rustc", "/usr/include", "/usr/lib", "/usr/src")
"""Folders of library sources."""

_FUNCTION = re.compile(r"[^\W\d][\w:~$.]*(?:[ <(\[&*+\-/=!|^%,>)\]\w:~$.]*)")
"""Names in C++ and Rust: ``box::area() const``, ``max<int>``, ``operator+``."""


def _with_settings(plan: Plan, tty: str = "") -> dict[str, Any]:
    """Return the plan's arguments, with our LLDB settings before the user's commands.

    ``tty`` is the program's terminal; 19 does not support ``stdio`` in the launch.
    """
    first, before_run = [wording.FAST_START], []
    first += [f"{setting} {tty}" for setting in wording.STREAMS if tty]
    if rust.is_rust(_binary(plan)):
        first += rust.formatter_commands(plan.cwd)
        before_run += [rust.STOP_AT_PANICS]
    own = {"initCommands": first} | ({"preRunCommands": before_run} if before_run else {})
    own = {name: [*words, *plan.options.get(name, ())] for name, words in own.items()}
    # Structures are shown with their members, so that a change in one is visible.
    return {"enableAutoVariableSummaries": True} | plan.options | own


def _binary(plan: Plan) -> Path:
    """Return the program's binary, as far as it is known before the adapter reads it."""
    if isinstance(plan, LaunchPlan):
        return Path(plan.target)
    return Path(plan.program if plan.core else f"/proc/{plan.pid}/exe")


class LldbStart(Start):
    """The start of the newest installed lldb-dap."""

    # It writes to its helper, which ends with a program that is killed while stopped.
    ignores_pipe = True
    packages = Packages(
        apt="lldb-*",
        since=18,
        dnf="lldb",
        pacman="lldb",
        zypper="lldb",
        apk="lldb",
        brew="llvm",
        otherwise="see https://github.com/llvm/llvm-project/releases",
    )

    def command(self, address: str = "") -> list[str]:
        found = [path for name in NAMES if (path := shutil.which(name))]
        if not found:
            raise AdapterNotStarted(not_installed(_NAME, self.packages))
        return [next((path for path in found if not is_older_path(path)), found[0])]

    def stand_in(self, told: Capabilities) -> StandIn | None:
        return WatchpointIds() if told.supports_instruction_breakpoints else OlderLldb()

    def read_version(self) -> str:
        return super().read_version() or ask_by_dap(self.locate())

    def gaps(self, version: str) -> str:
        return gaps_of(version, self.packages)


class LldbLaunch(Launch):
    """The launch of built programs."""

    # With `runInTerminal` it would load the symbols of lldb-dap itself first, which takes 16 s.
    terminal = TerminalWay.NAMED

    def arguments(self, plan: LaunchPlan, target: SourceFacts, tty: str = "") -> dict[str, Any]:
        arguments = {
            "name": "tuidbg",
            "program": plan.target,
            "args": list(plan.args),
            "cwd": plan.cwd,
            "env": [f"{name}={value}" for name, value in plan.env.items()],  # 19: only a list
            "stopOnEntry": False,
        }
        return arguments | _with_settings(plan, tty)

    def explain_failure(self, reason: str) -> SourceProblem:
        return SourceProblem(wording.explain_launch(reason))

    def entry_function(self, plan: LaunchPlan) -> str:
        return (rust.rust_main(Path(plan.target)) or "main") if plan.stop_on_entry else ""


class LldbAttach(Attach):
    """Attaching to local processes, and core files."""

    def arguments(self, plan: AttachPlan) -> dict[str, Any]:
        if plan.core:
            program = {"program": plan.program} if plan.program else {}
            return {"name": "tuidbg", "coreFile": plan.core, **program} | _with_settings(plan)
        return {"name": "tuidbg", "pid": plan.pid} | _with_settings(plan)

    def obstacle(self, pid: int) -> str:
        return super().obstacle(pid) or trace_obstacle(pid)

    def core_obstacle(self, plan: AttachPlan) -> str:
        problem = binary_problem(Path(plan.program)) if plan.program else ""
        return core_problem(Path(plan.core)) or problem

    def explain_refusal(self, reason: str) -> str:
        return wording.explain_refusal(reason)


class LldbSources(Sources):
    """Sources in debug information."""

    are_compiled = True
    finds_functions = False

    def arguments(
        self,
        just_my_code: bool,
        rules: Sequence[dict[str, Any]],
        mappings: Sequence[dict[str, str]],
    ) -> dict[str, Any]:
        pairs = [[each["remoteRoot"], each["localRoot"]] for each in mappings]
        return {"sourceMap": pairs} if pairs else {}

    async def examine_target(self, plan: Plan) -> SourceFacts:
        if isinstance(plan, LaunchPlan) and (problem := binary_problem(Path(plan.target))):
            return SourceFacts(plan.target, problem=SourceProblem(problem))
        if await asyncio.to_thread(rust.is_rust, _binary(plan)):
            await asyncio.to_thread(rust.formatter_commands, plan.cwd)  # cached when it is started
        return SourceFacts()

    async def library_folders(self, plan: Plan) -> Sequence[str]:
        home = str(Path.home())
        return (*_LIBRARIES, f"{home}/.cargo/registry", f"{home}/.rustup")

    def find(self, plan: Plan, name: str) -> Sequence[str]:
        return find_sources(_binary(plan), name)


class LldbBreakpoints(Breakpoints):
    """Breakpoints."""

    # Observed with 22: a condition that was evaluated once is not replaced by another one.
    keeps_conditions = True
    may_come_later = True

    def function_name(self, text: str) -> str:
        name = text.removesuffix("()").strip()
        return name if _FUNCTION.fullmatch(name) else ""


class LldbExceptions(Exceptions):
    """C++ exceptions."""

    filter_names = MappingProxyType(
        {
            "raised": "cpp_throw",
            "caught": "cpp_catch",
        }
    )
    labels = MappingProxyType({"raised": "thrown (C++)", "caught": "caught"})


class LldbStops(Stops):
    """Stops."""

    machinery = _MACHINERY
    # A step interrupted by a breakpoint is finished by the next `continue`.
    finishes_steps = True
    # It combines the number of the thread and that of the frame in its stack.
    keeps_frame_ids = True
    hides_pauses = True

    def __init__(self, panics: rust.PanicStops) -> None:
        self._panics = panics

    def text(self, description: str) -> str:
        return "" if wording.OWN_NUMBERS.match(description) else description

    def read(self, stopped: StoppedBody) -> StoppedBody:
        if self._panics.include(stopped.hit_breakpoint_ids or ()):
            return msgspec.structs.replace(
                stopped, reason="exception", description=rust.PANIC, hit_breakpoint_ids=None
            )
        return wording.read_stop(stopped)

    def frame_name(self, name: str) -> str:
        return rust.demangled(name)

    def read_signal(self, description: str) -> SignalTold | None:
        return wording.read_signal(description)


class LldbValues(Values):
    """Expressions of the program's language, and LLDB's own commands."""

    console_hint = "expression or LLDB command"
    prompt_context = "repl"
    assigns = True
    address_expression = "&({})"
    shows_set_registers = False

    def __init__(self, panics: rust.PanicStops) -> None:
        self._panics = panics

    def type_name(self, name: str) -> str:
        short = rust.short_type(name)
        return rust.rust_type(short) if self._panics.is_rust else short

    def read_result(self, text: str) -> str:
        return evaluating.read_result(text)

    def explain_failure(self, reason: str) -> str:
        return evaluating.explain_evaluation(reason)


class LldbEnding(Ending):
    """The parser of lldb-dap's own messages; one instance per session."""

    tells_signals_as_codes = True

    def __init__(self, panics: rust.PanicStops) -> None:
        self._panics = panics
        self._chatter = evaluating.ConditionChatter()

    def read_output(self, category: str, text: str) -> Said:
        if category == "console" and (self._panics.read(text) or wording.is_chatter(text)):
            return Said()
        if category == "stderr" and wording.OWN_CRASH in text:  # 19 crashes so at each exit
            return Said()
        if category == "important" and wording.NO_PLUGIN in text:
            return Said()
        if category in ("important", "stderr") and self._chatter.includes(text):
            return Said()
        return Said(text)

    def exit_signal(self, code: int) -> str:
        # The helper's message about a program that was killed while stopped.
        return "SIGKILL" if code == -1 else ""


class LldbProfile(AdapterProfile):
    """The profile."""

    name = _NAME
    language = C_FAMILY
    start = LldbStart()
    launch = LldbLaunch()
    attach = LldbAttach()
    sources = LldbSources()
    breakpoints = LldbBreakpoints()
    exceptions = LldbExceptions()
    native = LldbQuestions()
    symbols = LldbSymbols()

    def __init__(self) -> None:
        panics = rust.PanicStops()
        self.stops = LldbStops(panics)
        self.values = LldbValues(panics)
        self.ending = LldbEnding(panics)
