"""The profile of Delve 1.20 and later: Go."""

from __future__ import annotations

import shutil
from typing import Any

from tuidbg.adapters.base_profile import BaseProfile
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.languages import GO
from tuidbg.adapters.profile import Line, SourceFacts, TerminalWay
from tuidbg.config.launch import AttachPlan, LaunchPlan


class DelveProfile(BaseProfile):
    """Delve's ``dlv dap`` (``AdapterProfile``)."""

    name = "dlv"
    language = GO
    line = Line.CALLS_BACK
    # What it debugs inherits its standard streams.
    terminal = TerminalWay.SHARED
    finds_functions = False

    def command(self, address: str = "") -> list[str]:
        found = shutil.which("dlv")
        if found is None:
            raise AdapterNotStarted("dlv is not installed; `apt install delve` brings it")
        return [found, "dap", f"--client-addr={address}", "--check-go-version=false"]

    def launch_arguments(
        self, plan: LaunchPlan, target: SourceFacts, tty: str = ""
    ) -> dict[str, Any]:
        arguments = {
            "name": "tuidbg",
            "mode": "debug",
            "program": plan.target,
            "args": list(plan.args),
            "cwd": plan.cwd,
            "env": dict(plan.env),
            "stopOnEntry": False,
        }
        return arguments | plan.options

    def attach_arguments(self, plan: AttachPlan) -> dict[str, Any]:
        return {"name": "tuidbg", "mode": "local", "processId": plan.pid} | plan.options

    def entry_function(self, plan: LaunchPlan) -> str:
        return "main.main" if plan.stop_on_entry else ""
