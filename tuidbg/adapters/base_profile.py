"""What holds for an adapter that has nothing peculiar: a profile of its own says what differs."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from tuidbg.adapters.inside import Inside
from tuidbg.adapters.languages import PLAIN, Language
from tuidbg.adapters.probe import Probe
from tuidbg.adapters.profile import (
    FunctionFacts,
    Line,
    PageTemplates,
    RemoteQuestions,
    SourceFacts,
    TerminalWay,
)
from tuidbg.config.launch import AttachPlan, LaunchPlan, Plan


class BaseProfile:
    """An adapter that keeps to the protocol (``AdapterProfile``)."""

    name = ""
    language: Language = PLAIN
    line = Line.STREAMS
    terminal = TerminalWay.ASKED_FOR
    tuning = ""
    attached_tuning = ""
    patience_with_variables = float("inf")
    lost_program = ""
    roots_question = ""
    exception_moments: tuple[str, ...] = ()
    exception_filter_names: ClassVar[dict[str, str]] = {}
    probe: Probe | None = None
    inside: Inside | None = None
    remote: RemoteQuestions | None = None
    page_templates: PageTemplates | None = None
    needs_files = False
    finds_functions = True

    def command(self, address: str = "") -> list[str]:
        """Raises AdapterNotStarted, with what to install."""
        raise NotImplementedError

    def environment(self, line: int | None = None) -> Mapping[str, str]:
        return {}

    def launch_arguments(
        self, plan: LaunchPlan, target: SourceFacts, tty: str = ""
    ) -> dict[str, Any]:
        raise NotImplementedError

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

    def exit_signal(self, code: int) -> str:
        try:
            return signal.Signals(-code).name if code < 0 else ""
        except ValueError:
            return ""

    async def examine_target(self, plan: Plan) -> SourceFacts:
        return SourceFacts()

    async def examine_sources(self, plan: Plan, paths: Sequence[str]) -> Sequence[SourceFacts]:
        return [SourceFacts(path) for path in paths]

    async def find_function(
        self, plan: Plan, name: str, files: Sequence[str] = ()
    ) -> FunctionFacts:
        return FunctionFacts()
