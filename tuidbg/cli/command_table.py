"""The commands of the command line that are no program's name, and the module of each.

Each module has ``run_command(args, guardian)``, which gives the exit status and raises UsageError.
They are words even where a file has that name; ./demo means the file. Nothing is imported here: the
start looks into this table before anything else is done.
"""

COMMANDS = {
    "--hooked-program": "tuidbg.cli.commands.hook",
    "adapters": "tuidbg.cli.commands.adapters",
    "attach": "tuidbg.cli.commands.reach.attach",
    "breakpoints": "tuidbg.cli.commands.breakpoints",
    "dap": "tuidbg.cli.commands.dap",
    "forward": "tuidbg.cli.commands.reach.forward",
    "help": "tuidbg.cli.commands.help",
    "join": "tuidbg.cli.commands.join",
    "listen": "tuidbg.cli.commands.reach.listen",
    "mcp": "tuidbg.cli.commands.mcp",
    "open": "tuidbg.cli.commands.open",
    "run": "tuidbg.cli.commands.run",
    "send": "tuidbg.cli.commands.send",
    "serve": "tuidbg.cli.commands.serve",
    "web": "tuidbg.cli.commands.web",
}

WITHOUT_PROGRAM = (
    "-h",
    "--help",
    "--version",
    "--hooked-program",
    "adapters",
    "attach",
    "breakpoints",
    "forward",
    "help",
    "join",
    "listen",
    "open",
    "run",
    "send",
    "serve",
    "web",
)
"""First words with which no adapter is wanted."""


def put_word_first(args: list[str]) -> list[str]:
    """``--plain attach`` is ``attach --plain``: who writes it so means the command."""
    if len(args) > 1 and args[0] == "--plain" and args[1] in COMMANDS:
        return [args[1], args[0], *args[2:]]
    return args
