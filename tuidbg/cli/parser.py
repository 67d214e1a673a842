"""The options of ``tuidbg`` itself, and where those of the program begin."""

from __future__ import annotations

from tuidbg import __version__
from tuidbg.cli.usage import Parser, add_adapter_options, add_breakpoint_option, add_screen_options
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


def make_parser() -> Parser:
    parser = Parser(
        prog="tuidbg",
        usage="tuidbg [OPTIONS] SCRIPT|PROGRAM [ARGS...]\n"
        "       tuidbg [OPTIONS] -m MODULE [ARGS...]\n"
        "       tuidbg [OPTIONS] --test [GO-PACKAGE] [ARGS...]\n"
        "       tuidbg --core FILE [PROGRAM]\n"
        "       tuidbg demo\n"
        "       tuidbg adapters [--json]\n"
        "       tuidbg attach [OPTIONS] [[HOST:]PORT]\n"
        "       tuidbg listen [OPTIONS] [HOST:]PORT\n"
        "       tuidbg breakpoints list|export|import [OPTIONS] [FILE]\n"
        "       tuidbg dap [--join [SESSION]]\n"
        "       tuidbg forward [OPTIONS] [HOST:]PORT DEBUGGER:PORT\n"
        "       tuidbg help [TOPIC]\n"
        "       tuidbg join [SESSION]\n"
        "       tuidbg open FILE\n"
        "       tuidbg run [OPTIONS] [NAME] [FILE] [-- ARGS...]\n"
        "       tuidbg send --action ACTION [OPTIONS]\n"
        "       tuidbg serve [OPTIONS]\n"
        "       tuidbg web [OPTIONS] SCRIPT [ARGS...]",
        description="Debug a program in the terminal: Python, C, C++, Rust, Go and others.",
        epilog="Everything after SCRIPT (or after -m MODULE) belongs to the program. `tuidbg demo`"
        " debugs a small program that comes with it; `tuidbg breakpoints` is for scripts;"
        " `tuidbg serve` and `send` are for other programs (see their --help); bare"
        " `tuidbg` asks what to debug.",
        allow_abbrev=False,
    )
    _add_program_options(parser)
    _add_run_options(parser)
    add_screen_options(parser)
    parser.add_argument("--version", action="version", version=f"tuidbg {__version__}")
    return parser


def _add_program_options(parser: Parser) -> None:
    """Those that say which program it is, and how it is started."""
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
    """Those that say how it is debugged, and where it runs."""
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
        " the debugger's messages, stdout and stderr told apart, or a terminal outside of tuidbg"
        " (a tmux pane, where there is a tmux)",
    )
    add("--tty", metavar="PATH", help="run the program on another terminal, as `tty` names it")
    add("--tmux", action="store_true", help="run the program in a tmux pane of its own")


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
        index += 2 if word in WITH_VALUE else 1
    return args[:index], args[index:]
