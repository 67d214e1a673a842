"""The profile of lldb-dap 22, and of 19 as far as that goes."""

from __future__ import annotations

import shutil
from typing import Any

from tuidbg.adapters.base_profile import BaseProfile
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.languages import C_FAMILY
from tuidbg.adapters.profile import SourceFacts, TerminalWay
from tuidbg.config.launch import AttachPlan, LaunchPlan

NAMES = ("lldb-dap", "lldb-dap-22", "lldb-dap-21", "lldb-dap-20", "lldb-dap-19")


class LldbProfile(BaseProfile):
    """lldb-dap (``AdapterProfile``)."""

    name = "lldb-dap"
    language = C_FAMILY
    # By `runInTerminal` it would load the symbols of lldb-dap itself first, which takes 16 s.
    terminal = TerminalWay.NAMED
    finds_functions = False

    def command(self, address: str = "") -> list[str]:
        found = next((path for name in NAMES if (path := shutil.which(name))), None)
        if found is None:
            raise AdapterNotStarted("lldb-dap is not installed; `apt install lldb` brings it")
        return [found]

    def launch_arguments(
        self, plan: LaunchPlan, target: SourceFacts, tty: str = ""
    ) -> dict[str, Any]:
        arguments = {
            "name": "tuidbg",
            "program": plan.target,
            "args": list(plan.args),
            "cwd": plan.cwd,
            "env": dict(plan.env),
            "stopOnEntry": False,
        }
        return arguments | ({"stdio": [tty, tty, tty]} if tty else {}) | plan.options

    def attach_arguments(self, plan: AttachPlan) -> dict[str, Any]:
        return {"name": "tuidbg", "pid": plan.pid} | plan.options

    def entry_function(self, plan: LaunchPlan) -> str:
        return "main" if plan.stop_on_entry else ""
