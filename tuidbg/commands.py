"""The commands of the command line that are no program's name, and the module of each.

Each module has ``run_command(args, guardian)``, which gives the exit status and raises UsageError.
They are words even where a file has that name; ./demo means the file. Nothing is imported here: the
start looks into this table before anything else is done.
"""

COMMANDS = {
    "breakpoints": "tuidbg.breakpoint_files",
    "join": "tuidbg.join_command",
    "send": "tuidbg.send",
    "serve": "tuidbg.serve_command",
}

WITHOUT_PROGRAM = ("-h", "--help", "--version", "breakpoints", "join", "send", "serve")
"""First words with which no adapter is wanted."""
