"""The commands of the command line that are no program's name, and the module of each.

Each module has ``run_command(args, guardian)``, which gives the exit status and raises UsageError.
They are words even where a file has that name; ./demo means the file. Nothing is imported here: the
start looks into this table before anything else is done.
"""

COMMANDS = {
    "--hooked-program": "tuidbg.hook_command",
    "adapters": "tuidbg.adapters_command",
    "attach": "tuidbg.attach_command",
    "breakpoints": "tuidbg.breakpoint_files",
    "join": "tuidbg.join_command",
    "listen": "tuidbg.listen_command",
    "mcp": "tuidbg.mcp_command",
    "run": "tuidbg.run_command",
    "send": "tuidbg.send",
    "serve": "tuidbg.serve_command",
    "web": "tuidbg.web_command",
}

WITHOUT_PROGRAM = (
    "-h",
    "--help",
    "--version",
    "--hooked-program",
    "adapters",
    "attach",
    "breakpoints",
    "join",
    "listen",
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
