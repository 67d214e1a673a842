"""Starts programs with debugpy's server in them, and says where they stop on entry."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tuidbg.adapters.debugpy.inside_calls import own_entry_expression
from tuidbg.adapters.debugpy.pytest_run import pytest_variables
from tuidbg.adapters.debugpy.sources.runners import runs_own_code
from tuidbg.adapters.debugpy.tuning import launched_expression
from tuidbg.adapters.discovery.packages import not_installed
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.traits import IncomingServer, Launch, SourceFacts, StartCommand
from tuidbg.config.launch import Console, LaunchPlan, Plan, TargetKind, is_source
from tuidbg.debuggee.bundle import LAUNCHER

NAME = "debugpy"

_INSTALLED = {"site-packages", "dist-packages"}
_QUIET = {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}
"""Child processes would write a warning of pydevd's about frozen modules to their stderr."""

_OF_PIPES = {"PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
"""So that output is there as soon as it is written, and can be decoded."""

TOKEN_VARIABLE = "TUIDBG_ADAPTER_TOKEN"
"""``debugpy_launcher.py`` takes it out of the environment again."""

_SCRIPT = str(LAUNCHER)


class DebugpyLaunch(Launch):
    """tuidbg starts the program itself, with debugpy's server in it, which connects to tuidbg."""

    connects_back = True
    by_interpreter = True

    @property
    def tuning(self) -> str:
        return launched_expression()

    def command_line(self, plan: LaunchPlan) -> Sequence[str]:
        module = ["-m"] if plan.kind is TargetKind.MODULE else []
        return plan.python, *module, plan.target, *plan.args

    def is_there(self, plan: LaunchPlan) -> bool:
        """Of a folder or a zip its ``__main__.py`` is run."""
        return is_source(plan.first_source)

    def arguments(self, plan: LaunchPlan, target: SourceFacts, tty: str = "") -> dict[str, Any]:
        """debugpy's launch configuration."""
        stops = (
            plan.stop_on_entry
            and self.entry_line(plan, target) is None
            and not self.entry_expression(plan, target)
        )
        return {"stopOnEntry": stops} | _configuration(plan)

    def start_command(self, plan: LaunchPlan, port: int, token: str) -> StartCommand:
        """The token is in no command line."""
        asked = _configuration(plan)
        words = [*_words(asked["python"]), *asked.get("pythonArgs", ())]
        words += ["-X", "frozen_modules=off", _SCRIPT, find_debugpy()]
        words += ["--connect", f"127.0.0.1:{port}"]
        if not asked["subProcess"]:
            words += ["--configure-subProcess", "False"]
        if qt := asked.get("qt"):
            words += ["--configure-qt", str(qt)]
        words += asked.get("debugpyArgs", ())
        if "module" in asked:
            words += ["-m", asked["module"]]
        else:
            words.append(asked["program"])
        words += asked["args"]
        env: dict[str, str | None] = {TOKEN_VARIABLE: token, **asked["env"]}
        if asked.get("gevent"):
            env["GEVENT_SUPPORT"] = "True"
        if captures := bool(asked["redirectOutput"]):
            env |= _OF_PIPES
        return StartCommand(words, asked["cwd"], env, captures)

    async def identify(self, line: socket.socket, token: str, within: float) -> IncomingServer:
        from tuidbg.adapters.debugpy.incoming import identify

        return await identify(line, token, within)

    def entry_line(self, plan: LaunchPlan, target: SourceFacts) -> int | None:
        """For a module debugpy would stop in its package's ``__init__.py``, or not at all."""
        if self.entry_expression(plan, target):
            return None
        if plan.kind is TargetKind.MODULE and plan.stop_on_entry and target.code_lines:
            return target.code_lines[0]
        return None

    def entry_expression(self, plan: LaunchPlan, target: SourceFacts) -> str:
        """For a program that runs the code of others: it stops in the first of that."""
        if not plan.stop_on_entry or not runs_own_code(plan):
            return ""
        return own_entry_expression(target.path or plan.target)


def _own_roots(plan: LaunchPlan) -> dict[str, str]:
    """A script that was installed is the person's own code all the same.

    Without this, debugpy never stops in it, at an uncaught exception either.
    """
    folder = own_folder(plan)
    return {"IDE_PROJECT_ROOTS": folder} if folder and plan.just_my_code else {}


def own_folder(plan: Plan) -> str:
    folder = Path(plan.first_source).parent
    return "" if _INSTALLED.isdisjoint(folder.parts) else str(folder)


def _configuration(plan: LaunchPlan) -> dict[str, Any]:
    """debugpy's launch configuration, all but the entry stop."""
    terminal = plan.console is not Console.INTERNAL
    arguments: dict[str, Any] = {
        "name": "tuidbg",
        "type": "python",
        "request": "launch",
        "python": [plan.python, *plan.python_args],
        "args": list(plan.args),
        "cwd": plan.cwd,
        "env": {
            **_QUIET,
            **_own_roots(plan),
            **plan.env,
            **dict.fromkeys(plan.unset),
            **pytest_variables(plan),
        },
        "console": "integratedTerminal" if terminal else "internalConsole",
        "redirectOutput": not terminal if plan.redirect_output is None else plan.redirect_output,
        "showReturnValue": True,
        "subProcess": True,  # or a fork would stop at a breakpoint for ever
        "django": plan.django,
        "jinja": plan.jinja,
    }
    arguments["module" if plan.kind is TargetKind.MODULE else "program"] = plan.target
    return arguments | plan.options


def _words(python: Any) -> list[str]:
    return [python] if isinstance(python, str) else list(python)


@cache
def find_debugpy() -> str:
    """The folder of debugpy in tuidbg's own environment. Raises AdapterNotStarted."""
    from importlib.util import find_spec

    from tuidbg.adapters.debugpy.profile import DebugpyStart

    found = find_spec("debugpy")
    if found is None or found.origin is None:
        raise AdapterNotStarted(not_installed(NAME, DebugpyStart.packages))
    return str(Path(found.origin).parent)
