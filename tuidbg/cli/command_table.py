"""The commands of the command line that are no program's name, and the module of each.

Each module has ``run_command(args, guardian)``, which returns the exit status and raises
UsageError, and ``make_parser()``; help, completion and the man page are made from them. A command
wins over a file of its name; ./demo means the file. Nothing heavy is imported here: each start
reads this table first.
"""

from typing import NamedTuple

DEBUG, SHARE, LOOK_UP = "Debug a program", "Share a session", "Manual and setup"
GROUPS = (DEBUG, SHARE, LOOK_UP)
"""The headings of ``tuidbg --help``, in this order."""


class CliCommand(NamedTuple):
    """A command: its module, its row in ``tuidbg --help``, and the heading above that row.

    A hidden command has no group.
    """

    module: str
    group: str = ""
    usage: str = ""
    summary: str = ""
    runs_program: bool = False
    """Whether the options of ``tuidbg`` itself and a program come after its own options."""


_FOLDER = "tuidbg.cli.commands"

COMMANDS = {
    "--hooked-program": CliCommand(f"{_FOLDER}.hook"),
    "run": CliCommand(f"{_FOLDER}.run", DEBUG, "run [NAME]", "run a configuration of launch.json"),
    "attach": CliCommand(
        f"{_FOLDER}.reach.attach", DEBUG, "attach [[HOST:]PORT]", "attach to a running program"
    ),
    "listen": CliCommand(
        f"{_FOLDER}.reach.listen", DEBUG, "listen PORT", "wait for programs that connect"
    ),
    "forward": CliCommand(
        f"{_FOLDER}.reach.forward",
        DEBUG,
        "forward PORT TARGET",
        "forward programs to a debugger on another machine",
    ),
    "open": CliCommand(f"{_FOLDER}.open", DEBUG, "open FILE", "step through a recorded run"),
    "web": CliCommand(
        f"{_FOLDER}.web", DEBUG, "web SCRIPT", "debug in a browser", runs_program=True
    ),
    "serve": CliCommand(
        f"{_FOLDER}.serve", SHARE, "serve", "serve programs (REST), without a screen"
    ),
    "join": CliCommand(
        f"{_FOLDER}.join", SHARE, "join [SESSION]", "show a served session on this terminal"
    ),
    "send": CliCommand(f"{_FOLDER}.send", SHARE, "send", "send one action to a served session"),
    "mcp": CliCommand(f"{_FOLDER}.mcp", SHARE, "mcp", "serve agents (MCP on stdin and stdout)"),
    "dap": CliCommand(f"{_FOLDER}.dap", SHARE, "dap", "serve editors (DAP on stdin and stdout)"),
    "help": CliCommand(f"{_FOLDER}.help", LOOK_UP, "help [TOPIC]", "read the manual"),
    "adapters": CliCommand(f"{_FOLDER}.adapters", LOOK_UP, "adapters", "list the debug adapters"),
    "breakpoints": CliCommand(
        f"{_FOLDER}.breakpoints",
        LOOK_UP,
        "breakpoints",
        "list, export or import saved breakpoints",
    ),
    "completion": CliCommand(
        f"{_FOLDER}.completion",
        LOOK_UP,
        "completion SHELL",
        "print a completion script: bash, zsh or fish",
    ),
    "man": CliCommand(f"{_FOLDER}.man", LOOK_UP, "man", "print the man page"),
}

DEMO = CliCommand("", DEBUG, "demo", "debug a small program that comes with tuidbg")
"""A word for a program: options may precede it."""


def list_group(group: str) -> list[tuple[str, CliCommand]]:
    """Return the names and commands below a heading, the demo first."""
    shown = {"demo": DEMO, **COMMANDS}
    return [(name, command) for name, command in shown.items() if command.group == group]


def put_word_first(args: list[str]) -> list[str]:
    """Turn ``--plain attach`` into ``attach --plain``: the command is meant."""
    if len(args) > 1 and args[0] == "--plain" and args[1] in COMMANDS:
        return [args[1], args[0], *args[2:]]
    return args
