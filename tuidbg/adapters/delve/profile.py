"""The profile of Delve 1.20 and later: Go."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tuidbg.adapters.delve import packages as go
from tuidbg.adapters.delve import wording
from tuidbg.adapters.delve.log_points import DelveLogPoints
from tuidbg.adapters.delve.packages import make_output
from tuidbg.adapters.discovery.packages import Packages, not_installed
from tuidbg.adapters.errors import AdapterError, AdapterNotStarted
from tuidbg.adapters.languages import GO, check_brackets
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.adapters.traits import (
    Attach,
    Breakpoints,
    Ending,
    Exceptions,
    Launch,
    Line,
    Said,
    SourceFacts,
    SourceProblem,
    Sources,
    Start,
    Stops,
    TerminalWay,
    Values,
)
from tuidbg.config.launch import AttachPlan, LaunchPlan, Plan
from tuidbg.dap.types import StoppedBody
from tuidbg.lines import split_lines

_NAME = "dlv"

_BUILT = ("debug", "test")
"""The modes in which Delve builds the program."""

_FUNCTION = re.compile(r"[\w(][\w./~()*\[\]-]*")
"""``add``, ``main.(*box).grow``, ``example.com/tour/counting.add``, ``main.main.func1``."""

_GOROUTINE = re.compile(r"(?:\* )?(\[Go \d+\]) (.*?)(?: \(Thread \d+\))?\Z")
_IMPORT_PATH = re.compile(r"\A[^(\[]*/")

_NO_GO = "go is not installed, which builds the program; see https://go.dev/dl"


@dataclass(slots=True)
class GoBuild:
    """Delve's build of a program: the folder of its package, and the build error."""

    folder: Path = field(default_factory=Path)
    problem: SourceProblem | None = None


class DelveStart(Start):
    """The start of Delve, which connects to tuidbg."""

    line = Line.CALLS_BACK
    packages = Packages(
        apt="delve",
        dnf="delve",
        pacman="delve",
        apk="delve",
        brew="delve",
        otherwise="go install github.com/go-delve/delve/cmd/dlv@latest",
    )
    version_words = ("version",)

    def command(self, address: str = "") -> list[str]:
        return [self.locate(), "dap", f"--client-addr={address}", "--check-go-version=false"]

    def locate(self) -> str:
        found = shutil.which("dlv") or shutil.which("dlv", path=_go_folders())
        if found is None:
            raise AdapterNotStarted(not_installed(_NAME, self.packages))
        return found

    def environment(self) -> Mapping[str, str]:
        """Add ``go``'s usual install folders, in case they are not on the PATH."""
        if shutil.which("go") is None and shutil.which("go", path=_go_folders()):
            return {"PATH": f"{os.environ.get('PATH', os.defpath)}{os.pathsep}{_go_folders()}"}
        return {}


class DelveLaunch(Launch):
    """The launch; ``build`` is the result of Delve's build, if there is one."""

    # The debuggee inherits its standard streams.
    terminal = TerminalWay.SHARED
    # The first build of a large program takes long, and can be cancelled.
    patience = 900.0

    def __init__(self, build: GoBuild) -> None:
        self._build = build
        self._output: Path | None = None

    def arguments(self, plan: LaunchPlan, target: SourceFacts, tty: str = "") -> dict[str, Any]:
        self._build.problem = None
        arguments: dict[str, Any] = {
            "name": "tuidbg",
            "program": plan.target,
            "args": list(plan.args),
            "cwd": plan.cwd,
            "env": {**plan.env, **dict.fromkeys(plan.unset)},
            "hideSystemGoroutines": True,
            "stopOnEntry": False,
        }
        mode = mode_of(plan)
        if mode in _BUILT:
            arguments |= self._building(Path(plan.options.get("program", plan.target)), mode)
        given = {name: value for name, value in plan.options.items() if name != "program"}
        return arguments | given | {"mode": mode}

    def _building(self, target: Path, mode: str) -> dict[str, Any]:
        """Return the build arguments, with output in a folder of its own. Raises AdapterError."""
        if shutil.which("go") is None and shutil.which("go", path=_go_folders()) is None:
            raise AdapterError(_NO_GO)
        self._build.folder, program = go.what_is_built(target)
        if self._output is None:
            name = self._build.folder.resolve().name or "program"
            self._output = make_output(f"{name}.test" if mode == "test" else name)
        return {"program": program, "dlvCwd": str(self._build.folder), "output": str(self._output)}

    def preparing(self, plan: LaunchPlan) -> str:
        what = {"debug": plan.title, "test": f"the tests of {plan.title}"}.get(mode_of(plan))
        return f"building {what}" if what else ""

    def explain_failure(self, reason: str) -> SourceProblem:
        if "Build error" in reason and self._build.problem is not None:
            return self._build.problem
        return SourceProblem(wording.explain(reason))

    def entry_functions(self, plan: LaunchPlan) -> Sequence[str]:
        if not plan.stop_on_entry:
            return ()
        if mode_of(plan) == "test":  # whichever of them comes first
            return go.test_functions(Path(plan.options.get("program", plan.target)))
        return ("main.main",)


class DelveAttach(Attach):
    """Attaching to a process, or to a listening Delve."""

    def arguments(self, plan: AttachPlan) -> dict[str, Any]:
        arguments: dict[str, Any] = {"name": "tuidbg", "hideSystemGoroutines": True}
        if plan.pid is not None:
            arguments |= {"mode": "local", "processId": plan.pid}
        else:
            arguments |= {"mode": "remote"}
        return arguments | plan.options

    def how_to_listen(self, port: int) -> str:
        return f"dlv debug --headless --accept-multiclient --listen :{port}"

    def lets_go(self, plan: AttachPlan) -> bool:
        return plan.pid is not None

    def explain_refusal(self, reason: str) -> str:
        return wording.explain(reason)


class DelveSources(Sources):
    """Go's packages."""

    watched = ("*.go", "go.mod")
    finds_functions = False

    async def library_folders(self, plan: Plan) -> Sequence[str]:
        """Return those of the standard library and of downloaded modules."""
        found = shutil.which("go") or shutil.which("go", path=_go_folders())
        if found is None:
            return ()
        asked = ("env", "GOROOT", "GOMODCACHE")
        try:
            process = await asyncio.create_subprocess_exec(
                found,
                *asked,
                cwd=plan.cwd,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
        except OSError:
            return ()
        told, _ = await process.communicate()
        return [line for line in split_lines(told.decode("utf-8", "replace")) if line]


class DelveBreakpoints(Breakpoints):
    """Breakpoints, including functions of the built package."""

    log_points = DelveLogPoints()
    doubts_conditions = False

    def __init__(self, build: GoBuild) -> None:
        self._build = build

    def function_name(self, text: str) -> str:
        name = text.removesuffix("()")
        return name if _FUNCTION.fullmatch(name) and not check_brackets(name) else ""

    def explain_refusal(self, message: str) -> str:
        return wording.explain_breakpoint(message, self._find_functions)

    def _find_functions(self, name: str) -> list[str]:
        return go.find_functions(self._build.folder, name) if self._build.folder != Path() else []

    def stands_already(self, message: str) -> bool:
        return message.startswith(wording.ALREADY)

    def condition_failure(self, stopped: StoppedBody) -> str:
        return wording.read_condition_failure(stopped)


class DelveExceptions(Exceptions):
    """Panics."""

    fixed = "Go stops at unrecovered panics and at fatal errors, by itself"

    def text(self, text: str) -> str:
        return wording.unquoted(text)


class DelveStops(Stops):
    """Stops, with goroutines as threads."""

    machinery = ("runtime.",)
    tells_threads = False

    def thread_name(self, name: str) -> str | None:
        """Convert ``* [Go 1] main.main (Thread 4711)`` to ``[Go 1] main.main``, else None."""
        found = _GOROUTINE.match(name)
        return f"{found[1]} {self.frame_name(found[2])}" if found is not None else None

    def frame_name(self, name: str) -> str:
        """Convert ``example.com/tour/counting.(*T).Count`` to ``counting.(*T).Count``."""
        return _IMPORT_PATH.sub("", name)


class DelveValues(Values):
    """Values, which are those at the stop."""

    console_hint = "expression or `call f(x)`"
    prompt_context = "repl"
    stay_as_told = True

    def explain_failure(self, reason: str) -> str:
        return wording.explain_evaluation(reason)

    async def whole_text(
        self,
        evaluate: Callable[[str], Awaitable[str]],
        expression: str,
        shown: str,
        limit: int,
    ) -> tuple[str, int]:
        if not wording.is_string(shown):
            return shown[:limit], len(shown)
        return await wording.read_string(evaluate, expression, shown, limit)


class DelveEnding(Ending):
    """Messages about builds and exits, which are in words only."""

    tells_exit_last = True

    def __init__(self, build: GoBuild) -> None:
        self._build = build

    def read_output(self, category: str, text: str) -> Said:
        if (told := wording.read_build(text)) is not None:
            self._build.problem = wording.find_build_problem(told, self._build.folder)
            return Said(told.rstrip() + "\n")
        return wording.read_output(text) if category == "console" else Said(text)


class DelveProfile(AdapterProfile):
    """The profile of Delve's ``dlv dap``."""

    name = _NAME
    language = GO
    start = DelveStart()
    attach = DelveAttach()
    sources = DelveSources()
    exceptions = DelveExceptions()
    stops = DelveStops()
    values = DelveValues()

    def __init__(self) -> None:
        build = GoBuild()
        self.launch = DelveLaunch(build)
        self.breakpoints = DelveBreakpoints(build)
        self.ending = DelveEnding(build)


def mode_of(plan: LaunchPlan) -> str:
    """Return Delve's mode for a plan: the given one, else by the target."""
    mode = str(plan.options.get("mode", "auto"))
    if mode != "auto":
        return mode
    target = Path(plan.options.get("program", plan.target))
    if target.name.endswith("_test.go"):
        return "test"
    if target.is_dir():
        sources = go.read_package(target)
        return "debug" if go.main_sources(sources) or not go.test_sources(sources) else "test"
    return "debug" if target.suffix == ".go" else "exec"


def _go_folders() -> str:
    """Return the usual folders of ``go`` and its tools, whether on the PATH or not."""
    home = Path.home()
    own = os.environ.get("GOBIN") or str(Path(os.environ.get("GOPATH") or home / "go") / "bin")
    return os.pathsep.join([own, "/usr/local/go/bin", str(home / "sdk" / "go" / "bin")])
