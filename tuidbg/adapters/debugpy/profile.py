"""The profile of debugpy: how it is started, launched and made fast, and what it gets wrong."""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from tuidbg.adapters.base_profile import BaseProfile
from tuidbg.adapters.debugpy.attach import (
    FORGET,
    attach_arguments,
    attach_failure,
    attach_obstacle,
    explain_refusal,
)
from tuidbg.adapters.debugpy.command import COMMAND, LINE, NAME
from tuidbg.adapters.debugpy.inside_calls import MENDS, MONITOR, DebugpyInside
from tuidbg.adapters.debugpy.probe import DebugpyProbe
from tuidbg.adapters.debugpy.pytest_run import pytest_variables
from tuidbg.adapters.debugpy.remote import DebugpyRemote
from tuidbg.adapters.debugpy.sources.examine import examine, examine_files, examine_function
from tuidbg.adapters.debugpy.sources.filters import (
    ROOTS_EXPRESSION,
    live_rules_expression,
    read_roots,
)
from tuidbg.adapters.debugpy.sources.page_templates import DebugpyTemplates
from tuidbg.adapters.debugpy.tracebacks import as_python_prints
from tuidbg.adapters.discovery.packages import Packages, not_installed
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.languages import PYTHON
from tuidbg.adapters.profile import FunctionFacts, Line, SourceFacts, TerminalWay
from tuidbg.config.launch import AttachPlan, Console, LaunchPlan, Plan, TargetKind

_INSTALLED = {"site-packages", "dist-packages"}
_QUIET = {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}
"""Child processes would write a warning of pydevd's about frozen modules to their stderr."""

_QUICK = hasattr(socket, "TCP_QUICKACK")
_SEND_AT_ONCE = "__import__('pydevd').get_global_debugger().writer.sock.setsockopt(6, 1, 1)"
_WAKE_THREADS = (
    "(lambda d, events, find: 'get_internal_queue_and_event' in vars(d)"
    " or setattr(d, 'get_internal_queue_and_event', lambda thread:"
    " ([e.set() for e in tuple(events.values()) if not e.is_set()], find(thread))[1]))"
    "(*(lambda d: (d, d._thread_events, d.get_internal_queue_and_event))"
    "(__import__('pydevd').get_global_debugger()))"
)
"""A thread that shall go on sleeps up to 200 ms longer: pydevd's ``_update_stepping_info`` wakes
whichever thread came last in a loop (its variable hides the argument). So all that wait are woken;
each looks for itself whether it is meant. It touches pydevd alone and imports nothing.
"""

_LEAVE_DJANGO = (
    "(lambda xml, builtins, modules: setattr(xml, '_create_default_type_map',"
    " type(xml._create_default_type_map)(xml._create_default_type_map.__code__,"
    " dict(vars(xml), __builtins__=dict(vars(builtins), __import__=lambda name, *rest:"
    " builtins.__import__(name if name in modules or not name.startswith('django.')"
    " else 'no ' + name, *rest))))))"
    "(__import__('_pydevd_bundle.pydevd_xml', None, None, ['']), __import__('builtins'),"
    " __import__('sys').modules)"
)
"""To show its first value pydevd imports Django where it is installed, whether the program uses it
or not (``_create_default_type_map``). With this it takes only what the program has loaded.
"""


class DebugpyProfile(BaseProfile):
    """debugpy 1.8 (``AdapterProfile``)."""

    name = NAME
    language = PYTHON
    line = Line.STREAMS
    address = None
    begins_again = False
    late_breakpoint = ""
    answers_news_only = False
    watched = ("*.py",)
    packages = Packages(otherwise=f"{sys.executable} -m pip install debugpy")
    terminal = TerminalWay.ASKED_FOR
    finds_functions = True
    console_hint = "expression or statement"
    doubts_conditions = False

    # pydevd sends a message's header and body apart and without TCP_NODELAY, which costs 44 ms a
    # message. On Linux our adapter acknowledges at once (start_adapter.py); elsewhere the option is
    # set in the debuggee. It imports nothing there.
    tuning = (
        f"({_LEAVE_DJANGO}, {MONITOR}, {_WAKE_THREADS}, {MENDS})"
        if _QUICK
        else f"({_LEAVE_DJANGO}, {MONITOR}, {_SEND_AT_ONCE}, {_WAKE_THREADS}, {MENDS})"
    )

    # An adapter beside the program is not ours. The program may have been debugged before.
    attached_tuning = (
        f"({_LEAVE_DJANGO}, {FORGET}, {MONITOR}, {_SEND_AT_ONCE}, {_WAKE_THREADS}, {MENDS})"
    )

    # Uncaught exceptions stop the program where they are raised.
    exception_moments = ("uncaught",)
    exception_filter_names: ClassVar[dict[str, str]] = {
        "raised": "raised",
        "uncaught": "uncaught",
        "user_uncaught": "userUnhandled",
    }
    probe = DebugpyProbe()
    remote = DebugpyRemote()
    inside = DebugpyInside()
    page_templates = DebugpyTemplates()
    roots_question = ROOTS_EXPRESSION
    needs_files = True

    # PYDEVD_UNBLOCK_THREADS_ON_VARIABLES_TIMEOUT
    patience_with_variables = 3.0

    def command(self, address: str = "") -> list[str]:
        """See ``command.py``."""
        return list(COMMAND)

    def locate(self) -> str:
        """It runs in tuidbg's own interpreter."""
        from importlib.util import find_spec

        found = find_spec("debugpy")
        if found is None or found.origin is None:
            raise AdapterNotStarted(not_installed(self.name, self.packages))
        return str(Path(found.origin).parent)

    def read_version(self) -> str:
        from importlib.metadata import version

        return version("debugpy")

    def environment(self, line: int | None = None) -> dict[str, str]:
        """See ``start_adapter.py``."""
        return {} if line is None else {LINE: str(line)}

    def launch_arguments(
        self, plan: LaunchPlan, target: SourceFacts, tty: str = ""
    ) -> dict[str, Any]:
        """debugpy's launch configuration."""
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
                **self._own_roots(plan),
                **plan.env,
                **dict.fromkeys(plan.unset),
                **pytest_variables(plan),
            },
            "console": "integratedTerminal" if terminal else "internalConsole",
            "redirectOutput": not terminal
            if plan.redirect_output is None
            else plan.redirect_output,
            "stopOnEntry": plan.stop_on_entry and self.entry_line(plan, target) is None,
            "showReturnValue": True,
            "subProcess": True,  # or what it forks would stand at a breakpoint for ever
            "django": plan.django,
            "jinja": plan.jinja,
        }
        arguments["module" if plan.kind is TargetKind.MODULE else "program"] = plan.target
        return arguments | plan.options

    def attach_arguments(self, plan: AttachPlan) -> dict[str, Any]:
        return attach_arguments(plan)

    def attach_obstacle(self, pid: int) -> str:
        return attach_obstacle(pid)

    def how_to_listen(self, port: int) -> str:
        return f"python -m debugpy --listen {port}"

    def how_to_connect(self, place: str) -> str:
        return f"python -m debugpy --connect {place} --wait-for-client program.py"

    def attach_failure(self, output: str) -> str:
        return attach_failure(output)

    def explain_refusal(self, reason: str) -> str:
        return explain_refusal(reason)

    lost_program = ("No more messages", "disconnected unexpectedly", "No adapter is connected")

    def source_arguments(
        self,
        just_my_code: bool,
        rules: Sequence[dict[str, Any]],
        mappings: Sequence[dict[str, str]],
    ) -> dict[str, Any]:
        """The target counts as own code wherever it lies (``Sources.target``).

        Otherwise debugpy does not stop in a module of the standard library, on entry or ever.
        """
        arguments = {"justMyCode": just_my_code, "rules": list(rules)}
        return arguments | ({"pathMappings": list(mappings)} if mappings else {})

    def live_rules(self, just_my_code: bool, rules: Sequence[dict[str, Any]]) -> str:
        """See ``filters.py``."""
        return live_rules_expression(just_my_code, rules)

    def read_roots(self, answer: str) -> tuple[Sequence[str], Sequence[str]]:
        roots = read_roots(answer)
        return roots.libraries, roots.own

    @staticmethod
    def _own_roots(plan: LaunchPlan) -> dict[str, str]:
        """A script that was installed is the person's own code all the same.

        Without this, debugpy never stops in it, at an uncaught exception either.
        """
        folder = Path(plan.first_source).parent
        if _INSTALLED.isdisjoint(folder.parts) or not plan.just_my_code:
            return {}
        return {"IDE_PROJECT_ROOTS": str(folder)}

    def entry_line(self, plan: LaunchPlan, target: SourceFacts) -> int | None:
        """For a module debugpy would stop in its package's ``__init__.py``, or not at all."""
        if plan.kind is TargetKind.MODULE and plan.stop_on_entry and target.code_lines:
            return target.code_lines[0]
        return None

    def entry_function(self, plan: LaunchPlan) -> str:
        """Lines do it."""
        return ""

    def read_trace(self, text: str, message: str) -> tuple[str, str]:
        return as_python_prints(text, message)

    async def examine_target(self, plan: Plan) -> SourceFacts:
        if plan.kind is TargetKind.MODULE:
            return await examine(plan, "module", plan.target)
        target = Path(plan.target)
        return await examine(
            plan, "file", str(target / "__main__.py" if target.is_dir() else target)
        )

    async def examine_sources(self, plan: Plan, paths: Sequence[str]) -> Sequence[SourceFacts]:
        """Of a template only the program can tell where it stops, once it has rendered it.

        As long as there is no program, a source may be that of one in another language.
        """
        sources = [path for path in paths if not self.page_templates.includes(path)]
        if not plan.target:
            sources = [path for path in sources if path.endswith((".py", ".pyw"))]
        if len(sources) > 1:
            found = await examine_files(plan, sources)
        else:
            found = [await examine(plan, "file", path) for path in sources]
        known = dict(zip(sources, found, strict=True))
        return [known.get(path, SourceFacts(path)) for path in paths]

    async def find_function(
        self, plan: Plan, name: str, files: Sequence[str] = ()
    ) -> FunctionFacts:
        return await examine_function(plan, name, files)
