"""What holds for an adapter that has nothing peculiar: a profile of its own says what differs."""

from __future__ import annotations

import os
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from tuidbg.adapters.discovery.packages import Packages
from tuidbg.adapters.inside import Inside
from tuidbg.adapters.languages import PLAIN, Language
from tuidbg.adapters.log_points import LogPoints
from tuidbg.adapters.probe import Probe
from tuidbg.adapters.profile import (
    FunctionFacts,
    Line,
    PageTemplates,
    RemoteQuestions,
    Said,
    SignalTold,
    SourceFacts,
    SourceProblem,
    TerminalWay,
)
from tuidbg.config.launch import AttachPlan, LaunchPlan, Plan
from tuidbg.dap.types import Capabilities, StoppedBody

if TYPE_CHECKING:
    from tuidbg.adapters.native.questions import NativeQuestions
    from tuidbg.adapters.native.symbols import SymbolQuestions
    from tuidbg.adapters.stand_in import StandIn


class BaseProfile:
    """An adapter that keeps to the protocol (``AdapterProfile``)."""

    name = ""
    language: Language = PLAIN
    line = Line.STREAMS
    address: tuple[str, int] | None = None
    begins_again = False
    late_breakpoint = ""
    answers_news_only = False
    packages = Packages()
    version_words: tuple[str, ...] = ("--version",)
    watched: tuple[str, ...] = ()
    terminal = TerminalWay.ASKED_FOR
    tuning = ""
    attached_tuning = ""
    patience_with_variables = float("inf")
    lost_program: tuple[str, ...] = ()
    roots_question = ""
    exception_moments: tuple[str, ...] = ()
    exception_filter_names: ClassVar[dict[str, str]] = {}
    exception_labels: ClassVar[dict[str, str]] = {}
    probe: Probe | None = None
    inside: Inside | None = None
    remote: RemoteQuestions | None = None
    native: NativeQuestions | None = None
    symbols: SymbolQuestions | None = None
    tells_signals_as_codes = False
    page_templates: PageTemplates | None = None
    needs_files = False
    shows_set_registers = True
    finds_functions = True
    launch_patience = 0.0
    machinery: tuple[str, ...] = ()
    console_hint = "expression"
    any_expression = "watch"
    finishes_steps = False
    assigns = False
    keeps_frame_ids = False
    keeps_conditions = False
    ignores_pipe = False
    doubts_conditions = True
    log_points: LogPoints | None = None
    tells_threads = True
    fixed_exceptions = ""
    keeps_values = False
    tells_exit_last = False

    def command(self, address: str = "") -> list[str]:
        """Raises AdapterNotStarted, with what to install."""
        raise NotImplementedError

    def locate(self) -> str:
        return self.command()[0]

    def read_version(self) -> str:
        from tuidbg.adapters.discovery.versions import ask_version

        return ask_version([self.locate(), *self.version_words])

    def gaps(self, version: str) -> str:
        return ""

    def environment(self, line: int | None = None) -> Mapping[str, str]:
        return {}

    def stand_in(self, told: Capabilities) -> StandIn | None:
        return None

    def launch_arguments(
        self, plan: LaunchPlan, target: SourceFacts, tty: str = ""
    ) -> dict[str, Any]:
        raise NotImplementedError

    def preparing(self, plan: LaunchPlan) -> str:
        return ""

    def explain_launch(self, reason: str) -> SourceProblem:
        return SourceProblem(reason)

    def attach_arguments(self, plan: AttachPlan) -> dict[str, Any]:
        return {"name": "tuidbg", "pid": plan.pid}

    def attach_obstacle(self, pid: int) -> str:
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return "there is no such process"
        except PermissionError:
            return "it belongs to another user"
        return ""

    def how_to_listen(self, port: int) -> str:
        return f"its debug adapter at port {port}"

    def how_to_connect(self, place: str) -> str:
        return f"their debug adapter at {place}"

    def lets_go(self, plan: AttachPlan) -> bool:
        return True

    def core_obstacle(self, plan: AttachPlan) -> str:
        return f"{self.name} opens no core files"

    def attach_failure(self, output: str) -> str:
        return ""

    def explain_refusal(self, reason: str) -> str:
        return reason

    def source_arguments(
        self,
        just_my_code: bool,
        rules: Sequence[dict[str, Any]],
        mappings: Sequence[dict[str, str]],
    ) -> dict[str, Any]:
        return {}

    def live_rules(self, just_my_code: bool, rules: Sequence[dict[str, Any]]) -> str:
        return ""

    def read_roots(self, answer: str) -> tuple[Sequence[str], Sequence[str]]:
        return (), ()

    def entry_line(self, plan: LaunchPlan, target: SourceFacts) -> int | None:
        return None

    def entry_function(self, plan: LaunchPlan) -> str:
        return ""

    def entry_functions(self, plan: LaunchPlan) -> Sequence[str]:
        return (name,) if (name := self.entry_function(plan)) else ()

    def thread_name(self, name: str) -> str | None:
        return name

    async def whole_text(
        self,
        evaluate: Callable[[str], Awaitable[str]],
        expression: str,
        shown: str,
        limit: int,
    ) -> tuple[str, int]:
        return shown[:limit], len(shown)

    def frame_name(self, name: str) -> str:
        return name

    def read_output(self, category: str, text: str) -> Said:
        return Said(text)

    def read_trace(self, text: str, message: str) -> tuple[str, str]:
        return text, message

    def exception_text(self, text: str) -> str:
        return text

    async def library_folders(self, plan: Plan) -> Sequence[str]:
        return ()

    def explain_breakpoint(self, message: str) -> str:
        return message

    def explain_evaluation(self, reason: str) -> str:
        return reason

    def read_stop(self, stopped: StoppedBody) -> StoppedBody:
        return stopped

    def condition_failure(self, stopped: StoppedBody) -> str:
        return ""

    def read_result(self, text: str) -> str:
        return text

    def stands_already(self, message: str) -> bool:
        return False

    def stop_text(self, description: str) -> str:
        return description

    def read_signal(self, description: str) -> SignalTold | None:
        return None

    def function_name(self, text: str) -> str:
        name = text.removesuffix("()").replace(":", ".")
        parts = (part for part in name.split(".") if part != "<locals>")
        return name if name and all(part.isidentifier() for part in parts) else ""

    def exit_signal(self, code: int) -> str:
        try:
            return signal.Signals(-code).name if code < 0 else ""
        except ValueError:
            return ""

    async def examine_target(self, plan: Plan) -> SourceFacts:
        return SourceFacts()

    async def examine_sources(self, plan: Plan, paths: Sequence[str]) -> Sequence[SourceFacts]:
        return [SourceFacts(path) for path in paths]

    async def find_sources(self, plan: Plan, name: str) -> Sequence[str]:
        return ()

    async def find_function(
        self, plan: Plan, name: str, files: Sequence[str] = ()
    ) -> FunctionFacts:
        return FunctionFacts()
