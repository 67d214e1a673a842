"""The command line: reads what to debug, refuses what can't be, and hands the rest on.

Refusals come before anything is started or painted, as one sentence on stderr and status 2.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

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
    from tuidbg.guardian import Guardian

SUBCOMMANDS = ("demo",)
"""Words that are commands even where a file has that name; ./demo means the file."""


class _Command(click.Command):
    """Everything after the script, or after ``-m MODULE``, belongs to the program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with_value = {
            name
            for option in self.params
            if isinstance(option, click.Option) and not option.is_flag
            for name in option.opts
        }
        index = 0
        while index < len(args) and args[index].startswith("-") and args[index] != "--":
            word = args[index]
            if word == "-m" or (word.startswith("-m") and not word.startswith("--")):
                after = index + (2 if word == "-m" else 1)
                args = [*args[:after], "--", *args[after:]]
                break
            index += 2 if word in with_value else 1
        return super().parse_args(ctx, args)


@click.command(
    cls=_Command,
    context_settings={"allow_interspersed_args": False, "help_option_names": ["-h", "--help"]},
    options_metavar="[OPTIONS]",
    epilog="`tuidbg demo` debugs a small program that comes with it; bare `tuidbg` asks.",
)
@click.option("-m", "module", metavar="MODULE", help="Debug a module, as python -m runs it.")
@click.option(
    "-b",
    "--break",
    "breaks",
    metavar="[FILE:]LINE[ if EXPR]",
    multiple=True,
    help="Set a breakpoint; may be given many times.",
)
@click.option("--no-stop-on-entry", is_flag=True, help="Run to the first breakpoint.")
@click.option("--cwd", metavar="DIR", help="The program's working directory.")
@click.option("--env", "env", metavar="K=V", multiple=True, help="Add to its environment.")
@click.option("--python", metavar="PATH", help="The interpreter or virtual environment to use.")
@click.option("--all-code", is_flag=True, help="Step into libraries too (just-my-code off).")
@click.option(
    "--console",
    type=click.Choice([c.value for c in Console]),
    default=Console.TERMINAL.value,
    help="Where the program's input and output are.",
)
@click.option("--theme", metavar="NAME", default="", help="dark, light or a theme of Textual's.")
@click.option("--dap-log", metavar="FILE", default="", help="Write all DAP messages to a file.")
@click.version_option(__version__, prog_name="tuidbg")
@click.argument("words", nargs=-1, metavar="SCRIPT [ARGS]...", type=click.UNPROCESSED)
def parse(
    words: tuple[str, ...],
    module: str | None,
    breaks: tuple[str, ...],
    no_stop_on_entry: bool,
    cwd: str | None,
    env: tuple[str, ...],
    python: str | None,
    all_code: bool,
    console: str,
    theme: str,
    dap_log: str,
) -> LaunchRequest:
    """Debug a Python program in the terminal.

    Everything after SCRIPT (or after -m MODULE) belongs to the program.
    """
    folder = _folder(cwd)
    is_demo = module is None and words[:1] == ("demo",)
    if is_demo:
        kind, target, args = TargetKind.SCRIPT, str(DEMO), words[1:]
    elif module is not None:
        kind, target, args = TargetKind.MODULE, module, words
    elif words:
        kind, target, args = TargetKind.SCRIPT, str(_script(words[0])), words[1:]
    else:
        if breaks or no_stop_on_entry:
            raise click.UsageError("name a SCRIPT or a -m MODULE to debug")
        return LaunchRequest(plan=None, theme=theme, dap_log=dap_log)
    plan = LaunchPlan(
        kind=kind,
        target=target,
        args=args,
        cwd=folder,
        env=dict(_variable(pair) for pair in env),
        python=_interpreter(python),
        stop_on_entry=not no_stop_on_entry,
        just_my_code=not all_code,
        console=Console(console),
    )
    asked = tuple(_breakpoint(text, plan) for text in breaks)
    return LaunchRequest(
        plan=plan, breakpoints=asked, theme=theme, dap_log=dap_log, is_demo=is_demo
    )


def _folder(cwd: str | None) -> str:
    if cwd is None:
        return str(Path.cwd())
    path = Path(cwd).expanduser()
    if not path.is_dir():
        raise click.UsageError(f"--cwd: {cwd} is no directory")
    return str(path.resolve())


def _script(name: str) -> Path:
    path = Path(os.path.abspath(Path(name).expanduser()))
    if not path.exists():
        raise click.UsageError(f"there is no file {name}")
    main = path / "__main__.py" if path.is_dir() else path
    if not main.exists():
        raise click.UsageError(f"{name} is a directory without a __main__.py")
    try:
        with main.open("rb"):
            pass
    except OSError as error:
        raise click.UsageError(f"can't read {main}: {error.strerror}") from None
    return path


def _interpreter(asked: str | None) -> str:
    """The interpreter for the program: asked for, the active virtual environment's, or our own."""
    if asked is None:
        active = os.environ.get("VIRTUAL_ENV")
        candidate = Path(active) / "bin" / "python" if active else None
        return str(candidate) if candidate is not None and candidate.exists() else sys.executable
    path = Path(asked).expanduser()
    if path.is_dir():
        inside = path / "bin" / "python"
        if not inside.exists():
            raise click.UsageError(f"--python: {asked} holds no bin/python")
        return os.path.abspath(inside)
    if path.exists():
        if not os.access(path, os.X_OK):
            raise click.UsageError(f"--python: {asked} can't be run")
        return os.path.abspath(path)
    if found := shutil.which(asked):
        return found
    raise click.UsageError(f"--python: there is no interpreter {asked}")


def _variable(pair: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    if not equals or not name:
        raise click.UsageError(f"--env: {pair!r} is not of the form NAME=VALUE")
    return name, value


_BREAK = re.compile(r"(?:(?P<file>.+):)?(?P<line>\d+)(?:\s+if\s+(?P<condition>.+))?\Z", re.DOTALL)


def _breakpoint(text: str, plan: LaunchPlan) -> WantedBreakpoint:
    place, _, condition = text.partition(" if ")
    found = _BREAK.match(place.strip() + (f" if {condition}" if condition else ""))
    if found is None or int(found["line"]) < 1:
        raise click.UsageError(f"--break: {text!r} is not of the form [FILE:]LINE[ if EXPR]")
    if found["file"] is None:
        path = plan.first_source
        if not path:
            raise click.UsageError(f"--break: name the file of line {found['line']} for a module")
    else:
        path = os.path.abspath(Path(found["file"]).expanduser())
        if not Path(path).exists():
            raise click.UsageError(f"--break: there is no file {found['file']}")
    asked = WantedBreakpoint(path, int(found["line"]), (found["condition"] or "").strip())
    try:
        compile(asked.condition or "0", "<condition>", "eval")
    except (SyntaxError, ValueError) as error:
        raise click.UsageError(f"--break: the condition of {text!r}: {error}") from None
    return asked


def read_command_line(args: list[str]) -> LaunchRequest:
    """What ``args`` ask for. Raises click's exceptions."""
    asked = parse.main(args, prog_name="tuidbg", standalone_mode=False)
    if not isinstance(asked, LaunchRequest):  # --help and --version have printed and are done
        raise click.exceptions.Exit(0)
    return asked


def read_words(words: list[str]) -> LaunchRequest:
    """As ``read_command_line``, for a front end: raises ValueError with a sentence."""
    try:
        return read_command_line(words)
    except click.exceptions.Exit:
        raise ValueError("that is for the command line") from None
    except click.ClickException as error:
        raise ValueError(error.format_message()) from None


def run(args: list[str], guardian: Guardian) -> int:
    """Do what the command line says; the exit status."""
    try:
        asked = read_command_line(args)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        print(f"tuidbg: {error.format_message()}", file=sys.stderr)
        return 2
    has_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not has_terminal and not asked.is_demo:
        print(
            "tuidbg: the debugger needs a terminal on stdin and stdout; run it in one (over SSH:"
            " ssh -t), or see `tuidbg demo` without",
            file=sys.stderr,
        )
        return 2
    from tuidbg import launcher

    try:
        if not has_terminal:
            return launcher.play_demo(asked, guardian)
        return launcher.debug(asked, guardian, read_words)
    except KeyboardInterrupt:
        return 130
    finally:
        guardian.close()
