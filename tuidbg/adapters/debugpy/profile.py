"""The profile of debugpy: how it is started, launched and made fast, and what it gets wrong."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tuidbg.adapters.debugpy.attach import (
    attach_arguments,
    attach_obstacle,
    explain_refusal,
    program_of,
)
from tuidbg.adapters.debugpy.inside_calls import DebugpyInside
from tuidbg.adapters.debugpy.launching import NAME, DebugpyLaunch, own_folder
from tuidbg.adapters.debugpy.probe import DebugpyProbe
from tuidbg.adapters.debugpy.remote import DebugpyRemote
from tuidbg.adapters.debugpy.self_told import read_self, self_question
from tuidbg.adapters.debugpy.sources.examine import examine, examine_files, examine_function
from tuidbg.adapters.debugpy.sources.filters import (
    ROOTS_EXPRESSION,
    live_rules_expression,
    read_roots,
)
from tuidbg.adapters.debugpy.sources.page_templates import DebugpyTemplates
from tuidbg.adapters.debugpy.tuning import attached_expression
from tuidbg.adapters.debugpy.wording import as_python_prints, explain_failure, read_own_words
from tuidbg.adapters.discovery.packages import Packages, not_installed
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.languages import PYTHON
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.adapters.program.self_told import SelfTold
from tuidbg.adapters.traits import (
    Attach,
    Breakpoints,
    Ending,
    Exceptions,
    FunctionFacts,
    Said,
    SourceFacts,
    Sources,
    Start,
    Stops,
    Values,
)
from tuidbg.config.launch import AttachPlan, Plan, TargetKind, is_archive
from tuidbg.dap.types import Capabilities, ExceptionBreakpointsFilter

if TYPE_CHECKING:
    from tuidbg.adapters.client import AdapterClient
    from tuidbg.dap.connection import DapConnection

CHECK_LIMIT = 60.0
"""Seconds that the check of its patches may take; it imports pydevd."""

_CHECK = str(Path(__file__).with_name("check_patches.py"))

TEMPLATES = DebugpyTemplates()


class DebugpyStart(Start):
    """debugpy comes with tuidbg, and is started in the program."""

    is_included = True
    packages = Packages(otherwise=f"{sys.executable} -m pip install debugpy")
    announces = Capabilities(
        supports_completions_request=True,
        supports_conditional_breakpoints=True,
        supports_evaluate_for_hovers=True,
        supports_exception_info_request=True,
        supports_function_breakpoints=True,
        supports_goto_targets_request=True,
        supports_modules_request=True,
        supports_set_variable=True,
        supports_step_in_targets_request=True,
        supports_clipboard_context=True,
        exception_breakpoint_filters=[
            ExceptionBreakpointsFilter(filter=name)
            for name in ("raised", "uncaught", "userUnhandled")
        ],
    )

    def locate(self) -> str:
        """It comes with tuidbg's own interpreter."""
        from importlib.util import find_spec

        found = find_spec("debugpy")
        if found is None or found.origin is None:
            raise AdapterNotStarted(not_installed(NAME, self.packages))
        return str(Path(found.origin).parent)

    def read_version(self) -> str:
        from importlib.metadata import version

        return version("debugpy")

    def gaps(self, version: str) -> str:
        """What does not fit this version; a process of its own finds it out."""
        try:
            checked = subprocess.run(
                [sys.executable, _CHECK],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=CHECK_LIMIT,
                check=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            return f"tuidbg can't check whether debugpy {version} fits: {error}"
        return checked.stdout.decode("utf-8", "replace").strip()


class DebugpyAttach(Attach):
    """See ``attach.py``."""

    connects_back = True
    child_event = "debugpyAttach"

    @property
    def tuning(self) -> str:
        return attached_expression()

    def arguments(self, plan: AttachPlan) -> dict[str, Any]:
        return attach_arguments(plan)

    def obstacle(self, pid: int) -> str:
        return attach_obstacle(pid)

    def how_to_listen(self, port: int) -> str:
        return f"python -m debugpy --listen {port}"

    def how_to_connect(self, place: str, *, by_token: bool = False) -> str:
        token = " --adapter-access-token TOKEN" if by_token else ""
        return f"python -m debugpy --connect {place}{token} --wait-for-client program.py"

    def program_of(self, pid: int) -> str:
        return program_of(pid)

    def self_question(self, names: Collection[str] | None) -> str:
        return self_question(names)

    def read_self(self, answer: str) -> SelfTold:
        return read_self(answer)

    async def greet_caller(self, line: socket.socket, token: str, within: float) -> DapConnection:
        from tuidbg.adapters.debugpy.incoming import greet

        return await greet(line, token, within)

    def find_caller(self, line: socket.socket) -> Callable[[int], bool]:
        from tuidbg.adapters.debugpy.same_user import find_inode, holds

        inode = find_inode(line)
        return lambda pid: inode != 0 and holds(pid, inode)

    def caller_client(self) -> type[AdapterClient]:
        from tuidbg.adapters.debugpy.incoming import CallerClient

        return CallerClient

    async def put_server_in(
        self, pid: int, port: int, token: str, on_waiting: Callable[[str], None]
    ) -> None:
        from tuidbg.adapters.debugpy.entering.starting import put_server_in

        await put_server_in(pid, port, token, on_waiting)

    def explain_refusal(self, reason: str) -> str:
        return explain_refusal(reason)


class DebugpySources(Sources):
    """The program's interpreter examines them."""

    watched = ("*.py",)
    roots_question = ROOTS_EXPRESSION

    def arguments(
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

    def own_folder(self, plan: Plan) -> str:
        return own_folder(plan)

    async def examine_target(self, plan: Plan) -> SourceFacts:
        if plan.kind is TargetKind.MODULE:
            return await examine(plan, "module", plan.target)
        target = Path(plan.target)
        is_outside = target.is_dir() or is_archive(target)
        return await examine(plan, "file", str(target / "__main__.py" if is_outside else target))

    async def examine(self, plan: Plan, paths: Sequence[str]) -> Sequence[SourceFacts]:
        """Of a template only the program can tell where it stops, once it has rendered it.

        As long as there is no program, a source may be that of one in another language.
        """
        sources = [path for path in paths if not TEMPLATES.includes(path)]
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


class DebugpyBreakpoints(Breakpoints):
    """Breakpoints of pydevd's, templates among them."""

    needs_files = True
    doubts_conditions = False
    page_templates = TEMPLATES


class DebugpyExceptions(Exceptions):
    """Uncaught exceptions stop the program where they are raised."""

    moments = ("uncaught",)
    filter_names = MappingProxyType(
        {
            "raised": "raised",
            "uncaught": "uncaught",
            "user_uncaught": "userUnhandled",
        }
    )

    def read_trace(self, text: str, message: str) -> tuple[str, str]:
        return as_python_prints(text, message)


class DebugpyStops(Stops):
    """pydevd stops a thread when it comes to a line of Python."""

    pauses_need = "Python code"
    pauses_wait_in = "the program may be in input() or in a long C call"
    continues_late = True


class DebugpyValues(Values):
    """pydevd evaluates, in the program."""

    console_hint = "expression or statement"
    prompt_context = "repl"
    has_pages = False

    # PYDEVD_UNBLOCK_THREADS_ON_VARIABLES_TIMEOUT
    patience = 3.0

    def explain_failure(self, reason: str) -> str:
        return explain_failure(reason)


class DebugpyEnding(Ending):
    """Its adapter outlives the program."""

    lost_program = ("No more messages", "disconnected unexpectedly", "No adapter is connected")

    def read_output(self, category: str, text: str) -> Said:
        own = category in ("important", "console")
        return Said(read_own_words(text) if own else text)

    def needs_adapter(self, words: Sequence[str]) -> bool:
        """Those that the program starts are made to run pydevd first, which calls the adapter."""
        own = words[: words.index("--file")] if "--file" in words else ()
        return any(PurePath(word).name == "pydevd.py" for word in own)


class DebugpyProfile(AdapterProfile):
    """debugpy 1.8."""

    name = NAME
    language = PYTHON
    start = DebugpyStart()
    launch = DebugpyLaunch()
    attach = DebugpyAttach()
    sources = DebugpySources()
    breakpoints = DebugpyBreakpoints()
    exceptions = DebugpyExceptions()
    stops = DebugpyStops()
    values = DebugpyValues()
    ending = DebugpyEnding()
    probe = DebugpyProbe()
    remote = DebugpyRemote()
    inside = DebugpyInside()
