"""Shared parts of the commands: errors, options and the parsing of their values.

Invalid command lines are refused before anything is started or painted, by one sentence on stderr
and status 2.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from tuidbg.config.environments import Environment, find_environment
from tuidbg.config.launch import DEFAULT_ADAPTER, AttachPlan, Console, Plan, TargetKind, is_source
from tuidbg.config.request import WantedBreakpoint


class UsageError(Exception):
    """An invalid command line; ``str()`` is one sentence."""


class ProgramArguments(msgspec.Struct, frozen=True):
    """The program to run, its interpreter (``environment``; None: not specified) and settings."""

    kind: TargetKind
    target: str
    args: tuple[str, ...] = ()
    environment: Environment | None = None
    python_args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    is_command: bool = False
    adapter: str = DEFAULT_ADAPTER
    options: dict[str, Any] = {}
    source: str | None = None
    cwd: str = ""
    """The default working directory, if it is not the current one."""


class Parser(argparse.ArgumentParser):
    """An option parser that raises UsageError in place of exiting."""

    def error(self, message: str) -> NoReturn:
        command = self.prog.partition(" ")[2]
        raise UsageError(f"{command}: {message}" if command else message)


def add_breakpoint_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that sets breakpoints (``read_breakpoint``)."""
    parser.add_argument(
        "-b",
        "--break",
        dest="breaks",
        metavar="[FILE:]LINE[ if EXPR]",
        action="append",
        default=[],
        help="set a breakpoint; may be given many times",
    )


def add_adapter_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the debug adapter."""
    parser.add_argument(
        "--adapter",
        metavar="NAME",
        help="the debug adapter, instead of the one found from the program (`tuidbg adapters`)",
    )
    parser.add_argument(
        "--adapter-option",
        dest="adapter_options",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="a further argument of the adapter's own, as JSON or text; A.B=VALUE for a table",
    )


def read_adapter(name: str) -> str:
    """Check ``--adapter``, which need not be installed. Raises UsageError."""
    from tuidbg.adapters.errors import AdapterNotStarted
    from tuidbg.adapters.table import find_profile

    try:
        find_profile(name)
    except AdapterNotStarted as error:
        raise UsageError(f"--adapter: {error}") from None
    return name


def require_adapter(name: str) -> None:
    """Check that an adapter is installed. Raises UsageError."""
    from tuidbg.adapters.errors import AdapterNotStarted
    from tuidbg.adapters.table import find_profile

    try:
        start = find_profile(name).start
        if not start.is_included:
            start.locate()
    except AdapterNotStarted as error:
        raise UsageError(str(error)) from None


def read_adapter_options(pairs: list[str]) -> dict[str, Any]:
    """Parse ``--adapter-option`` to fields of the launch or attach request. Raises UsageError."""
    found: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        *tables, last = key.split(".")
        if not equals or not all((*tables, last)):
            raise UsageError(f"--adapter-option: {pair!r} is not of the form KEY=VALUE")
        table = found
        for name in tables:
            inner = table.setdefault(name, {})
            if not isinstance(inner, dict):
                raise UsageError(f"--adapter-option: {name} of {key!r} is no table")
            table = inner
        try:
            table[last] = msgspec.json.decode(text)
        except msgspec.DecodeError:
            table[last] = text
    return found


THEMES = ("dark", "light", "high-contrast", "ansi", "ansi-light")
KEY_MAPS = ("default", "pdb", "vscode", "vim")
"""Names of tuidbg's own themes and key maps, for completion without importing the screen."""


def add_screen_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that opens the screen."""
    add = parser.add_argument
    add(
        "--theme",
        metavar="NAME",
        default="",
        help="dark, light, high-contrast, ansi or ansi-light (the terminal's own 16 colours), one"
        " of yours, or one of Textual's",
    )
    add("--keys", metavar="NAME", default="", help="the key map: default, pdb, vscode or vim")
    add("--dap-log", metavar="FILE", default="", help="write all DAP messages to a file")
    add(
        "--plain",
        action="store_true",
        help="by lines, with pdb's commands: for pipes, dumb terminals and screen readers",
    )
    add(
        "--serve",
        nargs="?",
        const="",
        metavar="PORT|OPTIONS",
        help="let other programs join this session (REST and bridge); OPTIONS are those of `tuidbg"
        " serve`, in quotes: --serve='--port 0 --token bot:read'",
    )


def check_serving(value: str) -> None:
    """Check the value of ``--serve=`` before anything is painted. Raises UsageError."""
    from tuidbg.api.options import WrongOptions, read_serve_value
    from tuidbg.cli.serving import require_packages
    from tuidbg.session.hub.switch import ServingFailed

    try:
        read_serve_value(value)
        require_packages()
    except (WrongOptions, ServingFailed) as error:
        raise UsageError(str(error)) from None


def read_folder(cwd: str | None) -> str:
    """Return the folder of ``--cwd``, or the current one. Raises UsageError."""
    if cwd is None:
        try:
            return str(Path.cwd())
        except FileNotFoundError:
            raise UsageError("the current directory is gone; go to another one") from None
    path = absolute(cwd)
    if not path.is_dir():
        raise UsageError(f"--cwd: {cwd} is no directory")
    return str(path.resolve())


def absolute(name: str) -> Path:
    """Return an absolute path. Shells expand ``~``, but not in ``--cwd=~/x``."""
    return Path(os.path.abspath(os.path.expanduser(name)))  # noqa: PTH111


def read_recording(name: str | None) -> str:
    """Return the file for a recording; empty for none. Raises UsageError."""
    if not name:
        return ""
    path = absolute(name)
    if path.is_dir():
        raise UsageError(f"--record: {name} is a directory; name a file")
    if not path.parent.is_dir():
        raise UsageError(f"--record: there is no directory {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"--record: nothing can be written in {path.parent}")
    return str(path)


def is_there(path: Path) -> bool:
    """Whether a file exists. Raises OSError if that is unknown.

    ``Path.exists`` returns False then, from Python 3.14 on.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    return True


def script_path(name: str) -> Path:
    """Return the path of a script, or a directory with ``__main__.py``. Raises UsageError."""
    path = absolute(name)
    if not name or not is_there(path):
        raise UsageError(f"there is no file {name or repr(name)}")
    main = path / "__main__.py" if path.is_dir() else path
    if not main.exists():
        raise UsageError(f"{name} is a directory without a __main__.py")
    if not main.is_file():  # a pipe, as from <(...), can be read only once
        raise UsageError(f"{name} is no ordinary file")
    try:
        with main.open("rb"):
            pass
    except OSError as error:
        raise UsageError(f"can't read {main}: {error.strerror}") from None
    return path


def choose_environment(asked: str | None, folder: str) -> Environment:
    """Return the requested interpreter, or that of the detected environment. Raises UsageError."""
    if asked is not None:
        return Environment(read_interpreter(asked), "--python")
    return find_environment(folder)


def read_interpreter(asked: str | None) -> str:
    """Return the requested interpreter, or that of the current folder. Raises UsageError."""
    if asked is None:
        return find_environment(os.path.abspath(".")).python
    path = Path(os.path.expanduser(asked))  # noqa: PTH111
    if asked and path.is_dir():
        inside = path / "bin" / "python"
        if not inside.exists():
            raise UsageError(f"--python: {asked} holds no bin/python")
        return os.path.abspath(inside)
    if asked and path.exists():
        if not os.access(path, os.X_OK):
            raise UsageError(f"--python: {asked} can't be run")
        return os.path.abspath(path)
    if found := shutil.which(asked):
        return os.path.abspath(found)
    raise UsageError(f"--python: there is no interpreter {asked or repr(asked)}")


def read_variable(pair: str) -> tuple[str, str]:
    """Parse the name and value of ``--env``. Raises UsageError."""
    name, equals, value = pair.partition("=")
    if not equals or not name:
        raise UsageError(f"--env: {pair!r} is not of the form NAME=VALUE")
    return name, value


_NAMED = 5
"""Maximum number of listed files with the same name."""

_BREAK = re.compile(
    r"(?:(?P<file>.+):)?(?P<line>[0-9]{1,9})(?:\s+if\s+(?P<condition>.+))?\Z", re.DOTALL
)


def read_breakpoint(text: str, plan: Plan) -> WantedBreakpoint:
    """Parse ``--break``. Raises UsageError."""
    place, has_condition, condition = text.partition(" if ")
    found = _BREAK.match(place.strip() + has_condition + condition.strip())
    if found is None or int(found["line"]) < 1:
        raise UsageError(f"--break: {text!r} is not of the form [FILE:]LINE[ if EXPR]")
    if found["file"] is None:
        path = plan.first_source
        if not path:
            raise UsageError(f"--break: name the file of line {found['line']} for a module")
    else:
        path = _named_source(found["file"], plan)
    asked = WantedBreakpoint(path, int(found["line"]), (found["condition"] or "").strip())
    from tuidbg.adapters.table import profile_for

    if problem := profile_for(plan).language.check(asked.condition):
        raise UsageError(f"--break: the condition of {text!r}: {problem}")
    return asked


def _named_source(name: str, plan: Plan) -> str:
    """Find a source by name; those of a compiled program need no folder. Raises UsageError."""
    path = str(absolute(name))
    is_there = is_source(path)
    if name.startswith("/"):
        if not is_there and not isinstance(
            plan, AttachPlan
        ):  # an attached program may run on another machine
            raise UsageError(f"--break: there is no file {name}")
        return path
    from tuidbg.adapters.table import profile_for

    built_from = profile_for(plan).sources.find(plan, name)
    if path in built_from or (is_there and not any(Path(each).is_file() for each in built_from)):
        return path
    if len(built_from) > 1:
        several = ", ".join(built_from[:_NAMED]) + (", …" if len(built_from) > _NAMED else "")
        raise UsageError(f"--break: {name} may be any of {several}; write the whole path")
    if not built_from:
        raise UsageError(f"--break: there is no file {name}")
    return built_from[0]


def complain(sentence: str) -> None:
    """Print a sentence to stderr, escaped to one line: file names may contain anything."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in sentence)
    print(f"tuidbg: {shown}", file=sys.stderr)


def read_outside(tty: str | None, tmux: bool, console: str | None) -> Console:
    """Check ``--tty`` and ``--tmux``, for a terminal outside. Raises UsageError."""
    from tuidbg.adapters.program.other_terminal import NoTerminal, TmuxPane, check_terminal

    option = "--tmux" if tmux else "--tty"
    if tty is not None and tmux:
        raise UsageError("give --tty or --tmux, not both")
    if console not in (None, Console.EXTERNAL.value):
        raise UsageError(f"{option} and --console {console} ask for different terminals")
    if tmux and not TmuxPane.is_possible():
        raise UsageError("--tmux opens a pane of the tmux that tuidbg runs in, and it runs in none")
    if tty is not None:
        try:
            check_terminal(tty)
        except NoTerminal as error:
            raise UsageError(f"--tty: {error}") from None
    return Console.EXTERNAL
