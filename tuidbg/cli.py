"""The command line: reads what to debug, refuses what can't be, and hands the rest on.

Refusals come before anything is started or painted, as one sentence on stderr and status 2.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tuidbg import __version__
from tuidbg.config.launch import (
    DEMO,
    Console,
    LaunchPlan,
    LaunchRequest,
    TargetKind,
    WantedBreakpoint,
)

if TYPE_CHECKING:
    from tuidbg.adapters.process import AdapterProcess
    from tuidbg.guardian import Guardian

SUBCOMMANDS = ("demo", "breakpoints", "join", "send", "serve")
"""Words that are commands even where a file has that name; ./demo means the file."""


_WITH_VALUE = {
    "-b",
    "--break",
    "--cwd",
    "--env",
    "--python",
    "--console",
    "--theme",
    "--keys",
    "--dap-log",
}


_NEED_PROGRAM = ("breaks", "no_stop_on_entry", "cwd", "env", "python", "all_code")
"""Options that say nothing without a program."""


class UsageError(Exception):
    """The command line makes no sense; ``str()`` is one sentence."""


class _Parser(argparse.ArgumentParser):
    """Reads the options; says what is wrong by UsageError instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _make_parser() -> _Parser:
    parser = _Parser(
        prog="tuidbg",
        usage="tuidbg [OPTIONS] SCRIPT [ARGS...]\n"
        "       tuidbg [OPTIONS] -m MODULE [ARGS...]\n"
        "       tuidbg demo\n"
        "       tuidbg breakpoints list|export|import [OPTIONS] [FILE]\n"
        "       tuidbg join [SESSION]\n"
        "       tuidbg send --action ACTION [OPTIONS]\n"
        "       tuidbg serve [OPTIONS]",
        description="Debug a Python program in the terminal.",
        epilog="Everything after SCRIPT (or after -m MODULE) belongs to the program. `tuidbg demo`"
        " debugs a small program that comes with it; `tuidbg breakpoints` is for scripts;"
        " `tuidbg serve` and `send` are for other programs (see their --help); bare"
        " `tuidbg` asks what to debug.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("-m", dest="module", metavar="MODULE", help="debug a module, as python -m runs it")
    add(
        "-b",
        "--break",
        dest="breaks",
        metavar="[FILE:]LINE[ if EXPR]",
        action="append",
        default=[],
        help="set a breakpoint; may be given many times",
    )
    add("--no-stop-on-entry", action="store_true", help="run to the first breakpoint")
    add("--cwd", metavar="DIR", help="the program's working directory")
    add("--env", metavar="K=V", action="append", default=[], help="add to its environment")
    add("--python", metavar="PATH", help="the interpreter or virtual environment that runs it")
    add("--all-code", action="store_true", help="step into libraries too (just-my-code off)")
    add(
        "--console",
        choices=[c.value for c in Console],
        default=Console.TERMINAL.value,
        help="where the program's input and output are: a terminal of its own (the default),"
        " or the debugger's messages, stdout and stderr told apart",
    )
    add(
        "--theme",
        metavar="NAME",
        default="",
        help="dark, light, high-contrast, ansi (the terminal's own 16 colours), one of yours,"
        " or one of Textual's",
    )
    add("--keys", metavar="NAME", default="", help="the key map: default, pdb, vscode or vim")
    add("--dap-log", metavar="FILE", default="", help="write all DAP messages to a file")
    add(
        "--serve",
        nargs="?",
        const="",
        metavar="PORT|OPTIONS",
        help="let other programs debug along (REST and bridge); OPTIONS are those of `tuidbg"
        " serve`, in quotes: --serve='--port 0 --token bot:read'",
    )
    add("--version", action="version", version=f"tuidbg {__version__}")
    return parser


def split_command_line(args: list[str]) -> tuple[list[str], list[str]]:
    """tuidbg's own options, and what belongs to the program: the script or all after -m MODULE."""
    index = 0
    while index < len(args):
        word = args[index]
        if word == "--":
            return args[:index], args[index + 1 :]
        if not word.startswith("-") or word == "-":
            break
        if word.startswith("-m"):
            index += 2 if word == "-m" else 1
            break
        index += 2 if word in _WITH_VALUE else 1
    return args[:index], args[index:]


def read_command_line(args: list[str]) -> LaunchRequest:
    """What ``args`` ask for. Raises UsageError, and SystemExit after --help and --version."""
    own, words = split_command_line(args)
    options = _make_parser().parse_args(own)
    if options.serve is not None:
        _check_serving(options.serve)
    try:
        return _make_request(options, words)
    except OSError as error:  # a name too long, a folder that may not be entered
        place = f": {error.filename}" if error.filename else ""
        raise UsageError(f"{error.strerror or error}{place}") from None


def _make_request(options: argparse.Namespace, words: list[str]) -> LaunchRequest:
    if options.module is None and words[:1] == ["breakpoints"]:
        raise UsageError("`tuidbg breakpoints` is no program, and takes no options before its name")
    folder = _folder(options.cwd)
    is_demo = options.module is None and words[:1] == ["demo"]
    if is_demo:
        kind, target, args = TargetKind.SCRIPT, str(DEMO), words[1:]
    elif options.module is not None:
        kind, target, args = TargetKind.MODULE, options.module, words
    elif words:
        kind, target, args = TargetKind.SCRIPT, str(_script(words[0])), words[1:]
    else:
        if any(getattr(options, name) for name in _NEED_PROGRAM):
            raise UsageError("name a SCRIPT or a -m MODULE to debug")
        return LaunchRequest(
            plan=None,
            theme=options.theme,
            key_map=options.keys,
            dap_log=options.dap_log,
            serve=options.serve,
        )
    plan = LaunchPlan(
        kind=kind,
        target=target,
        args=tuple(args),
        cwd=folder,
        env=dict(_variable(pair) for pair in options.env),
        python=_interpreter(options.python),
        stop_on_entry=not options.no_stop_on_entry,
        just_my_code=not options.all_code,
        console=Console(options.console),
    )
    return LaunchRequest(
        plan=plan,
        breakpoints=tuple(_breakpoint(text, plan) for text in options.breaks),
        theme=options.theme,
        key_map=options.keys,
        dap_log=options.dap_log,
        is_demo=is_demo,
        serve=options.serve,
    )


def _folder(cwd: str | None) -> str:
    if cwd is None:
        try:
            return str(Path.cwd())
        except FileNotFoundError:
            raise UsageError("the current directory is gone; go to another one") from None
    path = _absolute(cwd)
    if not path.is_dir():
        raise UsageError(f"--cwd: {cwd} is no directory")
    return str(path.resolve())


def _absolute(name: str) -> Path:
    """``name`` from the root on. ``~`` is the shell's work, but ``--cwd=~/x`` is left to us."""
    return Path(os.path.abspath(os.path.expanduser(name)))  # noqa: PTH111


def _script(name: str) -> Path:
    path = _absolute(name)
    if not name or not path.exists():
        raise UsageError(f"there is no file {name or repr(name)}")
    main = path / "__main__.py" if path.is_dir() else path
    if not main.exists():
        raise UsageError(f"{name} is a directory without a __main__.py")
    if not main.is_file():  # a pipe, as <(...) makes it, could be read once only
        raise UsageError(f"{name} is no ordinary file")
    try:
        with main.open("rb"):
            pass
    except OSError as error:
        raise UsageError(f"can't read {main}: {error.strerror}") from None
    return path


def _interpreter(asked: str | None) -> str:
    """The interpreter for the program: asked for, the active virtual environment's, or our own."""
    if asked is None:
        active = os.environ.get("VIRTUAL_ENV")
        candidate = Path(active) / "bin" / "python" if active else None
        return str(candidate) if candidate is not None and candidate.exists() else sys.executable
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


def _variable(pair: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    if not equals or not name:
        raise UsageError(f"--env: {pair!r} is not of the form NAME=VALUE")
    return name, value


_BREAK = re.compile(
    r"(?:(?P<file>.+):)?(?P<line>[0-9]{1,9})(?:\s+if\s+(?P<condition>.+))?\Z", re.DOTALL
)


def _breakpoint(text: str, plan: LaunchPlan) -> WantedBreakpoint:
    place, has_condition, condition = text.partition(" if ")
    found = _BREAK.match(place.strip() + has_condition + condition.strip())
    if found is None or int(found["line"]) < 1:
        raise UsageError(f"--break: {text!r} is not of the form [FILE:]LINE[ if EXPR]")
    if found["file"] is None:
        path = plan.first_source
        if not path:
            raise UsageError(f"--break: name the file of line {found['line']} for a module")
    else:
        path = str(_absolute(found["file"]))
        if not Path(path).is_file():
            raise UsageError(f"--break: there is no file {found['file']}")
    asked = WantedBreakpoint(path, int(found["line"]), (found["condition"] or "").strip())
    try:
        compile(asked.condition or "0", "<condition>", "eval")
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"--break: the condition of {text!r}: {error}") from None
    return asked


def read_words(words: list[str]) -> LaunchRequest:
    """As ``read_command_line``, for a front end: raises ValueError with a sentence."""
    try:
        return read_command_line(words)
    except SystemExit:
        raise ValueError("that is for the command line") from None
    except UsageError as error:
        raise ValueError(str(error)) from None


def _complain(sentence: str) -> None:
    """On stderr, in one line: file names may hold anything."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in sentence)
    print(f"tuidbg: {shown}", file=sys.stderr)


def _serve(args: list[str], guardian: Guardian) -> int:
    """``tuidbg serve``; the exit status. Raises UsageError."""
    from tuidbg import serving
    from tuidbg.api.command_line import WrongOptions, read_serve_options
    from tuidbg.session.serving import ServingFailed

    try:
        options, wants_document = read_serve_options(args)
        return serving.print_openapi() if wants_document else serving.serve(options, guardian)
    except (WrongOptions, ServingFailed) as error:
        raise UsageError(str(error)) from None


def _join(args: list[str]) -> int:
    """``tuidbg join``; the exit status. Raises UsageError."""
    from tuidbg.guests import find_hosts
    from tuidbg.join import join

    parser = _Parser(
        prog="tuidbg join",
        description="Show a session of a running tuidbg (`tuidbg serve`, or --serve) on this"
        " terminal. q leaves it as it is.",
        epilog="Without SESSION it is the current one of the tuidbg that was started last; with it,"
        " of whichever has it.",
        allow_abbrev=False,
    )
    parser.add_argument("session", nargs="?", default="", help="its id or its name")
    parser.add_argument("--pid", type=int, help="of the tuidbg that holds it, if there are several")
    asked = parser.parse_args(args)
    hosts = [(pid, path) for pid, path in find_hosts() if asked.pid in (None, pid)]
    if not hosts:
        which = "no tuidbg" if asked.pid is None else f"no tuidbg of process {asked.pid}"
        raise UsageError(f"{which} can be joined; `tuidbg serve` and `tuidbg --serve SCRIPT` can")
    first, *others = (path for _, path in hosts)
    return join(first, asked.session, *others)


def _check_serving(value: str) -> None:
    """Refuse a ``--serve=`` that can't be, before anything is painted. Raises UsageError."""
    from tuidbg.api.command_line import WrongOptions, read_serve_value
    from tuidbg.serving import require_packages
    from tuidbg.session.serving import ServingFailed

    try:
        read_serve_value(value)
        require_packages()
    except (WrongOptions, ServingFailed) as error:
        raise UsageError(str(error)) from None


def run(args: list[str], guardian: Guardian, adapter: AdapterProcess | None = None) -> int:
    """Do what the command line says; ``adapter`` runs already. The exit status."""
    try:
        if args[:1] == ["breakpoints"]:
            from tuidbg.breakpoint_files import run_command

            return run_command(args[1:])
        if args[:1] == ["send"]:
            from tuidbg.send import run_command

            return run_command(args[1:])
        if args[:1] == ["join"]:
            return _join(args[1:])
        if args[:1] == ["serve"]:
            return _serve(args[1:], guardian)
        asked = read_command_line(args)
    except UsageError as error:
        _complain(str(error))
        return 2
    # A standard stream that is closed is None.
    has_terminal = all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout))
    if not has_terminal and not asked.is_demo:
        _complain(
            "the debugger needs a terminal on stdin and stdout; run it in one (over SSH:"
            " ssh -t), or see `tuidbg demo` without"
        )
        return 2
    from tuidbg import launcher

    try:
        if not has_terminal:
            return launcher.play_demo(asked, guardian, adapter)
        return launcher.debug(asked, guardian, read_words, adapter)
    except launcher.LogNotOpened as error:
        _complain(str(error))
        return 2
    except KeyboardInterrupt:
        return 130
    finally:
        guardian.close()
