"""The command ``tuidbg run``: the configurations of ``.vscode/launch.json``.

A run without open questions starts directly; otherwise the user chooses, agrees and answers on the
screen (``tui/launching/launching.py``).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tuidbg.cli.arguments import (
    Parser,
    UsageError,
    absolute,
    add_adapter_options,
    add_breakpoint_option,
    add_screen_options,
    check_serving,
    choose_environment,
    read_adapter,
    read_adapter_options,
    read_breakpoint,
    read_folder,
    read_interpreter,
    read_variable,
)
from tuidbg.config.launch import AttachPlan, Console, Plan
from tuidbg.config.launch_json.file import find_launch_file
from tuidbg.config.launch_json.jsonc import JsoncError
from tuidbg.config.launch_json.workspace import (
    ConfigurationError,
    NoSuchConfiguration,
    Prepared,
    Unanswered,
    Workspace,
)
from tuidbg.config.request import ScreenChoice, StartupRequest
from tuidbg.config.user_config import find_defaults

if TYPE_CHECKING:
    from tuidbg.process.guardian import Guardian

_OF_ATTACHING = ("just_my_code", "python", "cwd", "adapter", "options")
"""Fields that the command line also changes in a plan to attach."""

_NONE = (
    "there is no .vscode/launch.json here or in a folder above; name one by --file, or a program:"
    " tuidbg SCRIPT"
)


def run_command(args: list[str], guardian: Guardian) -> int:
    """Run a configuration, or let the user choose; return the exit status. Raises UsageError."""
    from tuidbg.cli import main as cli

    own, extra = _split(args)
    options = make_parser().parse_args(own)
    if options.serve is not None:
        check_serving(options.serve)
    command = _RunCommand(options, tuple(extra))
    if options.list:
        return command.print_list()
    return cli.debug(command.make_request(), guardian)


def _split(args: list[str]) -> tuple[list[str], list[str]]:
    """Split into tuidbg's own words and the program's."""
    if "--" not in args:
        return args, []
    index = args.index("--")
    return args[:index], args[index + 1 :]


def make_parser() -> Parser:
    parser = Parser(
        prog="tuidbg run",
        usage="tuidbg run [OPTIONS] [NAME] [FILE] [-- ARGS...]",
        description="Debug what .vscode/launch.json describes: the configuration or compound NAME"
        " (a part of it is enough), or one chosen from a list. FILE is what ${file} means.",
        epilog="ARGS are added to the program's. A launch.json runs only after you have agreed to"
        " what it says, once for each of its versions.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("name", nargs="?", default="", metavar="NAME", help="the configuration or compound")
    add("current", nargs="?", default="", metavar="FILE", help="what ${file} means")
    add("--file", metavar="PATH", help="another launch.json than the nearest one upward")
    add("--file-arg", metavar="FILE", default="", help="as FILE, where no NAME is given")
    add("--list", action="store_true", help="print what there is, and end")
    add("--trust", action="store_true", help="agree to the file as it is, without being asked")
    add_breakpoint_option(parser)
    add(
        "--no-stop-on-entry",
        action="store_false",
        dest="stop_on_entry",
        default=None,
        help="run to the first breakpoint",
    )
    add("--stop-on-entry", action="store_true", default=None, help="stop at the first line")
    add(
        "--all-code",
        action="store_false",
        dest="just_my_code",
        default=None,
        help="step into libraries too (just-my-code off)",
    )
    add("--just-my-code", action="store_true", default=None, help="pass over libraries")
    add("--cwd", metavar="DIR", help="the program's working directory")
    add("--env", metavar="K=V", action="append", default=[], help="add to its environment")
    add("--python", metavar="PATH", help="the interpreter or virtual environment that runs it")
    add_adapter_options(parser)
    add("--console", choices=[c.value for c in Console], help="as for `tuidbg SCRIPT`")
    add_screen_options(parser)
    return parser


class _RunCommand:
    """One invocation of the command."""

    def __init__(self, options: argparse.Namespace, extra: tuple[str, ...]) -> None:
        """Raises UsageError."""
        self._options = options
        self._extra = extra
        self._changes = _read_changes(options)
        self._cwd = read_folder(None)
        path = absolute(options.file) if options.file else find_launch_file(Path(self._cwd))
        if path is None:
            raise UsageError(_NONE)
        defaults, self._problems = find_defaults(path.parent.parent)
        self._theme = defaults.theme
        environment = choose_environment(options.python or defaults.python or None, self._cwd)
        try:
            self._workspace = Workspace.read(
                path,
                cwd=Path(self._cwd),
                interpreter=environment.python,
                defaults=defaults,
                current_file=self._current_file(),
                change=self._change,
            )
        except JsoncError as error:
            raise UsageError(str(error)) from None
        except FileNotFoundError:
            raise UsageError(f"--file: there is no file {options.file}") from None
        self._problems += self._workspace.file.problems

    def _current_file(self) -> Path | None:
        name = self._options.file_arg or self._options.current
        if not name:
            return None
        path = absolute(name)
        if not path.is_file():
            raise UsageError(f"run: there is no file {name}")
        return path

    def _change(self, plan: Plan) -> Plan:
        """Apply the command line's options to a plan of launch.json."""
        changes = dict(self._changes)
        if options := read_adapter_options(self._options.adapter_options):
            changes["options"] = {**plan.options, **options}
        if isinstance(plan, AttachPlan):
            return replace(plan, **{k: v for k, v in changes.items() if k in _OF_ATTACHING})
        environment = {**plan.env, **changes.pop("env")}
        unset = tuple(name for name in plan.unset if name not in environment)
        args = (*plan.args, *self._extra)
        return replace(plan, args=args, env=environment, unset=unset, **changes)

    # List

    def print_list(self) -> int:
        """Print the entries; return the exit status."""
        for entry in self._workspace.entries():
            about = entry.obstacle and f"can't be run: {entry.obstacle}"
            kind = " ".join(filter(None, (entry.type, entry.request)))
            print(f"{entry.name}\t{kind}\t{about or entry.target}")
        for problem in self._problems:
            print(f"tuidbg: {problem}", file=sys.stderr)
        return 0

    # Run

    def make_request(self) -> StartupRequest:
        """Make the request. Raises UsageError."""
        name = self._find_name()
        if self._options.trust and name and (problem := self._workspace.agree(name)):
            self._problems = (*self._problems, problem)
        is_agreed = self._options.trust or (bool(name) and self._workspace.is_agreed(name))
        if not all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout)):
            self._refuse_to_ask(name, is_agreed)
        prepared = self._prepare(name) if name and is_agreed else None
        if prepared is None:
            return self._ask(name)
        if len(prepared.plans) > 1 or self._workspace.unread(name, prepared.notes):
            return self._ask(name)
        self._problems = (*self._problems, *(f"{name}: {note}." for note in prepared.notes))
        return self._request(prepared.plans[0], None)

    def _find_name(self) -> str:
        if not self._options.name:
            return ""
        try:
            return self._workspace.match(self._options.name)
        except NoSuchConfiguration as error:
            raise UsageError(f"run: {error}") from None

    def _refuse_to_ask(self, name: str, is_agreed: bool) -> None:
        """Refuse to ask without a terminal. Raises UsageError."""
        if not name:
            raise UsageError("run: name a configuration; choosing one needs a terminal")
        if not is_agreed:
            raise UsageError(
                f"run: not agreed to yet: {self._workspace.file.path} as it is; run it in a"
                " terminal once, or give --trust"
            )

    def _prepare(self, name: str) -> Prepared | None:
        """Prepare the plans; None if a question must be answered first. Raises UsageError."""
        try:
            return self._workspace.prepare(name, {})
        except Unanswered as error:
            if sys.stdin and sys.stdin.isatty():
                return None
            raise UsageError(f"run: {name} asks for {error.question.text}") from None
        except ConfigurationError as error:
            raise UsageError(str(error)) from None

    def _ask(self, name: str) -> StartupRequest:
        if self._options.plain:
            raise UsageError("run: --plain can't ask; run it without, once")
        if name:
            self._check(name)
        return self._request(None, ScreenChoice(self._workspace, name, self._finish))

    def _check(self, name: str) -> None:
        """Check a configuration before anything is painted. Raises UsageError."""
        try:
            self._workspace.preview(name)
        except ConfigurationError as error:
            raise UsageError(str(error)) from None

    def _finish(self, plan: Plan) -> StartupRequest:
        """Make the request for a plan completed on the screen. Raises ValueError."""
        try:
            return self._request(plan, None)
        except UsageError as error:
            raise ValueError(str(error)) from None

    def _request(self, plan: Plan | None, offer: ScreenChoice | None) -> StartupRequest:
        options = self._options
        breaks = () if plan is None else (read_breakpoint(text, plan) for text in options.breaks)
        return StartupRequest(
            plan=plan,
            offer=offer,
            breakpoints=tuple(breaks),
            theme=options.theme,
            default_theme=self._theme,
            key_map=options.keys,
            dap_log=options.dap_log,
            serve=options.serve,
            plain=options.plain,
            problems=self._problems,
        )


def _read_changes(options: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of a plan that the command line sets. Raises UsageError."""
    changes: dict[str, Any] = {"env": dict(read_variable(pair) for pair in options.env)}
    for name in ("stop_on_entry", "just_my_code"):
        if (value := getattr(options, name)) is not None:
            changes[name] = value
    if options.cwd is not None:
        changes["cwd"] = read_folder(options.cwd)
    if options.python is not None:
        changes["python"] = read_interpreter(options.python)
    if options.adapter is not None:
        changes["adapter"] = read_adapter(options.adapter)
    if options.console is not None:
        changes["console"] = Console(options.console)
    return changes
