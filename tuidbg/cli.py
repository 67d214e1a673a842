"""The command line: reads what to debug, refuses what can't be, and hands the rest on.

What is no program's name is a command of its own (``commands.py``).
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg import __version__
from tuidbg.commands import COMMANDS
from tuidbg.config.launch import DEMO, Console, LaunchPlan, LaunchRequest, TargetKind
from tuidbg.usage import (
    Parser,
    UsageError,
    absolute,
    add_breakpoint_option,
    add_screen_options,
    check_serving,
    complain,
    read_breakpoint,
    read_folder,
    read_interpreter,
    read_variable,
)

if TYPE_CHECKING:
    from tuidbg.adapters.process import AdapterProcess
    from tuidbg.guardian import Guardian

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


def _make_parser() -> Parser:
    parser = Parser(
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
    add_breakpoint_option(parser)
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
    add_screen_options(parser)
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
        check_serving(options.serve)
    try:
        return _make_request(options, words)
    except OSError as error:  # a name too long, a folder that may not be entered
        place = f": {error.filename}" if error.filename else ""
        raise UsageError(f"{error.strerror or error}{place}") from None


def _make_request(options: argparse.Namespace, words: list[str]) -> LaunchRequest:
    if options.module is None and words[:1] == ["breakpoints"]:
        raise UsageError("`tuidbg breakpoints` is no program, and takes no options before its name")
    folder = read_folder(options.cwd)
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
        env=dict(read_variable(pair) for pair in options.env),
        python=read_interpreter(options.python),
        stop_on_entry=not options.no_stop_on_entry,
        just_my_code=not options.all_code,
        console=Console(options.console),
    )
    return LaunchRequest(
        plan=plan,
        breakpoints=tuple(read_breakpoint(text, plan) for text in options.breaks),
        theme=options.theme,
        key_map=options.keys,
        dap_log=options.dap_log,
        is_demo=is_demo,
        serve=options.serve,
    )


def _script(name: str) -> Path:
    path = absolute(name)
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


def read_words(words: list[str]) -> LaunchRequest:
    """As ``read_command_line``, for a front end: raises ValueError with a sentence."""
    try:
        return read_command_line(words)
    except SystemExit:
        raise ValueError("that is for the command line") from None
    except UsageError as error:
        raise ValueError(str(error)) from None


def run(args: list[str], guardian: Guardian, adapter: AdapterProcess | None = None) -> int:
    """Do what the command line says; ``adapter`` runs already. The exit status."""
    try:
        if args and args[0] in COMMANDS:
            command = importlib.import_module(COMMANDS[args[0]])
            status: int = command.run_command(args[1:], guardian)
            return status
        return debug(read_command_line(args), guardian, adapter)
    except UsageError as error:
        complain(str(error))
        return 2


def debug(asked: LaunchRequest, guardian: Guardian, adapter: AdapterProcess | None = None) -> int:
    """Open the screen on what is asked for; the exit status. Raises UsageError."""
    # A standard stream that is closed is None.
    has_terminal = all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout))
    if not has_terminal and not asked.is_demo:
        raise UsageError(
            "the debugger needs a terminal on stdin and stdout; run it in one (over SSH:"
            " ssh -t), or see `tuidbg demo` without"
        )
    from tuidbg import launcher

    try:
        if not has_terminal:
            return launcher.play_demo(asked, guardian, adapter)
        return launcher.debug(asked, guardian, read_words, adapter)
    except launcher.LogNotOpened as error:
        raise UsageError(str(error)) from None
    except KeyboardInterrupt:
        return 130
    finally:
        guardian.close()
