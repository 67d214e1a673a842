"""The main command: parses what to debug, refuses invalid requests, and dispatches the rest.

Other commands are listed in ``parser.py``.
"""

from __future__ import annotations

import argparse
import importlib
import os
import select
import sys
from typing import TYPE_CHECKING

from tuidbg.cli.arguments import (
    ProgramArguments,
    UsageError,
    absolute,
    check_serving,
    choose_environment,
    complain,
    read_adapter,
    read_adapter_options,
    read_breakpoint,
    read_folder,
    read_interpreter,
    read_outside,
    read_recording,
    read_variable,
    require_adapter,
    script_path,
)
from tuidbg.cli.command_table import COMMANDS
from tuidbg.cli.parser import make_parser, split_command_line
from tuidbg.cli.plan_defaults import with_defaults
from tuidbg.config.environments import Environment
from tuidbg.config.launch import DEFAULT_ADAPTER, DEMO, Console, TargetKind
from tuidbg.config.request import StartupRequest

if TYPE_CHECKING:
    from tuidbg.process.guardian import Guardian


_NEED_PROGRAM = (
    "breaks",
    "no_stop_on_entry",
    "cwd",
    "env",
    "python",
    "adapter",
    "adapter_options",
    "all_code",
    "watch",
    "tty",
    "tmux",
)
"""Options without a meaning unless there is a program."""


def read_command_line(args: list[str]) -> StartupRequest:
    """Parse ``args``. Raises UsageError, and SystemExit after --help and --version."""
    own, words = split_command_line(args)
    options = make_parser().parse_args(own)
    if options.serve is not None:
        check_serving(options.serve)
    try:
        return with_defaults(_make_request(options, words), options)
    except OSError as error:  # a name too long, a folder without access
        place = f": {error.filename}" if error.filename else ""
        raise UsageError(f"{error.strerror or error}{place}") from None


def _make_request(options: argparse.Namespace, words: list[str]) -> StartupRequest:
    if options.module is None and words[:1] == ["breakpoints"]:
        raise UsageError("`tuidbg breakpoints` is no program, and takes no options before its name")
    folder = read_folder(options.cwd)
    if options.core is not None:
        return _core_request(options, words, folder)
    is_demo = options.module is None and words[:1] == ["demo"]
    asked_python = read_interpreter(options.python) if options.python is not None else None
    program = _read_program(options, words, folder, asked_python)
    if program is None:
        if options.record is not None or any(getattr(options, name) for name in _NEED_PROGRAM):
            raise UsageError("name a SCRIPT or a -m MODULE to debug")
        return StartupRequest(
            plan=None,
            theme=options.theme,
            key_map=options.keys,
            dap_log=options.dap_log,
            plain=options.plain,
            serve=options.serve,
        )
    require_adapter(program.adapter)
    from tuidbg.adapters.table import find_profile
    from tuidbg.session.core.connect.plans import ProgramRequest, make_plan

    launch = find_profile(program.adapter).launch
    environment = program.environment or choose_environment(asked_python, folder)
    is_module = program.kind is TargetKind.MODULE
    asked = ProgramRequest(
        program="" if is_module else program.target,
        module=program.target if is_module else None,
        args=program.args,
        cwd=folder if options.cwd is not None else program.cwd or folder,
        env=program.env | dict(read_variable(pair) for pair in options.env),
        python=environment.python,
        python_args=program.python_args,
        python_from=environment.why if launch.by_interpreter else "",
        is_command=program.is_command,
        stop_on_entry=not options.no_stop_on_entry,
        just_my_code=not options.all_code,
        console=_console(options),
        tty=options.tty or "",
        adapter=program.adapter,
        options=program.options | read_adapter_options(options.adapter_options),
        source=program.source,
        record=options.record is not None,
        record_to=read_recording(options.record),
    )
    plan = make_plan(asked)
    return StartupRequest(
        plan=plan,
        breakpoints=tuple(read_breakpoint(text, plan) for text in options.breaks),
        theme=options.theme,
        key_map=options.keys,
        dap_log=options.dap_log,
        plain=options.plain,
        is_demo=is_demo,
        serve=options.serve,
        watch=options.watch,
    )


def _read_program(
    options: argparse.Namespace, words: list[str], folder: str, asked_python: str | None
) -> ProgramArguments | None:
    """Parse the named program; None without one. Raises UsageError."""
    is_demo = options.module is None and words[:1] == ["demo"]
    adapter = read_adapter(options.adapter) if options.adapter is not None else ""
    if adapter not in ("", DEFAULT_ADAPTER) and (is_demo or options.module is not None):
        raise UsageError(f"--adapter: only {DEFAULT_ADAPTER} debugs that, for it is Python")
    if is_demo:
        own = None if asked_python else Environment(sys.executable)
        return ProgramArguments(TargetKind.SCRIPT, str(DEMO), tuple(words[1:]), own)
    if options.module is not None:
        return ProgramArguments(TargetKind.MODULE, options.module, tuple(words))
    if options.test:
        from tuidbg.cli.command_parsing import read_tests

        return read_tests(words)
    if words and adapter:
        from tuidbg.cli.command_parsing import read_program_of

        return read_program_of(adapter, words)
    if words and words[0].endswith(".py"):
        return ProgramArguments(TargetKind.SCRIPT, str(script_path(words[0])), tuple(words[1:]))
    if words:
        from tuidbg.cli.command_parsing import read_program

        return read_program(words, folder, asked_python)
    return None


def _core_request(options: argparse.Namespace, words: list[str], folder: str) -> StartupRequest:
    """Make the request for a core file and its program, if named. Raises UsageError."""
    from tuidbg.adapters.table import find_profile
    from tuidbg.session.core.connect.plans import ProcessRequest, make_plan

    if len(words) > 1 or options.module is not None or options.test:
        raise UsageError("--core FILE goes with the PROGRAM that has left it, and no more words")
    asked = ProcessRequest(
        core=str(absolute(options.core)),
        program=str(absolute(words[0])) if words else "",
        cwd=folder,
        python=sys.executable,
        just_my_code=not options.all_code,
        adapter=read_adapter(options.adapter) if options.adapter is not None else "",
        options=read_adapter_options(options.adapter_options),
    )
    plan = make_plan(asked)
    if obstacle := find_profile(plan.adapter).attach.core_obstacle(plan):
        raise UsageError(f"--core: {obstacle}")
    return StartupRequest(
        plan=plan,
        theme=options.theme,
        key_map=options.keys,
        dap_log=options.dap_log,
        plain=options.plain,
        serve=options.serve,
    )


def _console(options: argparse.Namespace) -> Console:
    """Return the console; with --plain in a pipe the program's input is at its end.

    Raises UsageError.
    """
    if options.tty is not None or options.tmux:
        return read_outside(options.tty, options.tmux, options.console)
    if options.console is None:
        is_piped = options.plain and not (sys.stdin and sys.stdin.isatty())
        return Console.INTERNAL if is_piped else Console.TERMINAL
    return Console(options.console)


def read_words(words: list[str]) -> StartupRequest:
    """Parse like ``read_command_line``, for front ends. Raises ValueError with a sentence."""
    try:
        return read_command_line(words)
    except SystemExit:
        raise ValueError("that is for the command line") from None
    except UsageError as error:
        raise ValueError(str(error)) from None


def run(args: list[str], guardian: Guardian) -> int:
    """Run a command line; return the exit status.

    If the reader of the output is gone, as with `| head`, it ends silently.
    """
    try:
        try:
            return _run(args, guardian)
        finally:
            _flush()
    except BrokenPipeError:
        if not _is_unread(sys.stdout.fileno()):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(args: list[str], guardian: Guardian) -> int:
    try:
        if args and args[0] in COMMANDS:
            command = importlib.import_module(COMMANDS[args[0]].module)
            status: int = command.run_command(args[1:], guardian)
            return status
        return debug(read_command_line(args), guardian)
    except UsageError as error:
        complain(str(error))
        return 2


def _is_unread(descriptor: int) -> bool:
    """Whether the reader of a pipe is gone."""
    asking = select.poll()
    asking.register(descriptor, 0)
    return bool(asking.poll(0))


def _flush() -> None:
    """Flush stdout. Raises BrokenPipeError; Python reports other errors."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (OSError, ValueError):
        pass


def _check_lines(asked: StartupRequest) -> None:
    """Refuse options without an equivalent in the line mode. Raises UsageError."""
    if asked.plan is None:
        raise UsageError("--plain: name a SCRIPT or a -m MODULE to debug")
    if asked.serve is not None:
        raise UsageError("--plain: --serve needs the screen; `tuidbg serve` does without")
    if asked.watch:
        raise UsageError("--plain: --watch needs the screen; `run` starts the program again")


def debug(asked: StartupRequest, guardian: Guardian) -> int:
    """Open the screen, or the line mode; return the exit status. Raises UsageError."""
    if asked.plain:
        _check_lines(asked)
    # A closed standard stream is None.
    has_terminal = all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout))
    if not has_terminal and not asked.is_demo and not asked.plain:
        raise UsageError(
            "the debugger needs a terminal on stdin and stdout; run it in one (over SSH:"
            " ssh -t), or by lines, with --plain; `tuidbg demo` shows itself without"
        )
    from tuidbg.cli import launcher, start

    try:
        if asked.plain:
            return start.debug_by_lines(asked, guardian)
        if not has_terminal:
            return start.play_demo(asked, guardian)
        return launcher.debug(asked, guardian, read_words)
    except start.LogNotOpened as error:
        raise UsageError(str(error)) from None
    except KeyboardInterrupt:
        return 130
    finally:
        guardian.close()
