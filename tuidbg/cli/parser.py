"""The options of ``tuidbg`` itself, and the boundary to those of the program."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Mapping

from tuidbg import __version__
from tuidbg.cli.arguments import (
    Parser,
    add_adapter_options,
    add_breakpoint_option,
    add_screen_options,
)
from tuidbg.cli.command_table import GROUPS, list_group
from tuidbg.config.launch import Console

WITH_VALUE = {
    "-b",
    "--break",
    "--cwd",
    "--env",
    "--python",
    "--adapter",
    "--core",
    "--adapter-option",
    "--console",
    "--tty",
    "--theme",
    "--keys",
    "--dap-log",
}


SENTENCE = "Debug a program in the terminal: Python, C, C++, Rust, Go and others."

USAGES = (
    "tuidbg [OPTIONS] SCRIPT|PROGRAM [ARGS...]",
    "tuidbg [OPTIONS] -m MODULE [ARGS...]",
    "tuidbg [OPTIONS] --test [GO-PACKAGE] [ARGS...]",
    "tuidbg --core FILE [PROGRAM]",
    "tuidbg COMMAND [OPTIONS]",
)

EXAMPLES = {
    "tuidbg demo": "debug a small program with a fault",
    "tuidbg script.py --its --own": "debug a script with its arguments",
    "tuidbg -b app.py:40 -m pytest tests": "debug a module, with a breakpoint",
    "tuidbg attach --pid 4711": "attach to a process that runs",
    "tuidbg": "choose a program from a list",
}


class _MainParser(Parser):
    """The parser of ``tuidbg`` itself: its help has examples and the commands in groups."""

    def format_help(self) -> str:
        options = argparse.HelpFormatter(self.prog)
        options.start_section("Options, before the program")
        options.add_arguments(self._actions)
        options.end_section()
        groups = {
            group: {command.usage: command.summary for _, command in list_group(group)}
            for group in GROUPS
        }
        parts = [
            SENTENCE,
            "usage: " + "\n       ".join(USAGES),
            _lay_out("Examples", EXAMPLES, 35),
            *(_lay_out(group, rows, 20) for group, rows in groups.items()),
            options.format_help().strip(),
            "`tuidbg COMMAND --help` lists the options of a command, `tuidbg help` the manual.",
        ]
        return "\n\n".join(parts) + "\n"


def _lay_out(heading: str, rows: Mapping[str, str], column: int) -> str:
    """Return a heading and rows of two columns, the first one ``column`` cells wide."""
    import textwrap  # only help needs it

    width = max(40, shutil.get_terminal_size().columns - 2)
    indent = " " * (column + 4)
    lines = [
        textwrap.fill(f"  {first:<{column}}  {second}", width, subsequent_indent=indent)
        for first, second in rows.items()
    ]
    return "\n".join([f"{heading}:", *lines])


def make_parser() -> Parser:
    """Build the parser of ``tuidbg`` itself."""
    parser = _MainParser(prog="tuidbg", usage="\n       ".join(USAGES), allow_abbrev=False)
    _add_program_options(parser)
    _add_run_options(parser)
    add_screen_options(parser)
    parser.add_argument("--version", action="version", version=f"tuidbg {__version__}")
    return parser


def _add_program_options(parser: Parser) -> None:
    """Add the options for the program and its start."""
    add = parser.add_argument
    add("-m", dest="module", metavar="MODULE", help="debug a module, as python -m runs it")
    add("--test", action="store_true", help="debug the tests of a Go package (or _test.go files)")
    add("--core", metavar="FILE", help="look into the core file that a native program has left")
    add_breakpoint_option(parser)
    add(
        "--no-stop-on-entry",
        action="store_true",
        default=None,
        help="run to the first breakpoint",
    )
    add(
        "--stop-on-entry",
        dest="no_stop_on_entry",
        action="store_false",
        default=None,
        help="stop at the first line (the default)",
    )
    add("--cwd", metavar="DIR", help="the program's working directory")
    add("--env", metavar="K=V", action="append", default=[], help="add to its environment")
    add("--python", metavar="PATH", help="the interpreter or virtual environment that runs it")
    add_adapter_options(parser)


def _add_run_options(parser: Parser) -> None:
    """Add the options for debugging, and for where the program runs."""
    add = parser.add_argument
    add(
        "--all-code",
        action="store_true",
        default=None,
        help="step into libraries too (just-my-code off)",
    )
    add(
        "--just-my-code",
        dest="all_code",
        action="store_false",
        default=None,
        help="pass over libraries (the default)",
    )
    add(
        "--record",
        nargs="?",
        const="",
        metavar="FILE",
        help="record each line, to step back (Python 3.12+); --record=FILE writes the recording to"
        " a file at the end",
    )
    add("--watch", action="store_true", help="restart the program when one of its sources changes")
    add(
        "--console",
        choices=[c.value for c in Console],
        default=None,
        help="where the program's input and output are: a terminal of its own (the default),"
        " the debugger's messages, stdout and stderr kept apart, or a terminal outside of tuidbg"
        " (a tmux pane, where there is a tmux)",
    )
    add("--tty", metavar="PATH", help="run the program on another terminal, as `tty` names it")
    add("--tmux", action="store_true", help="run the program in a tmux pane of its own")


def split_command_line(args: list[str]) -> tuple[list[str], list[str]]:
    """Split into tuidbg's options, and the program's words: the script or all after -m MODULE."""
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
        index += 2 if word in WITH_VALUE else 1
    return args[:index], args[index:]
