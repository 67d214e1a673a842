"""The table of the line mode's commands: pdb's names, arguments, descriptions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from tuidbg.plain.commands import execution as running
from tuidbg.plain.commands import execution as stopping
from tuidbg.plain.commands import inspection as job
from tuidbg.plain.commands import inspection as looking
from tuidbg.plain.commands import recording as asking
from tuidbg.plain.commands import recording as past
from tuidbg.plain.context import CommandContext

Do = Callable[[CommandContext, str], Awaitable[None]]


class Command(msgspec.Struct, frozen=True):
    """One command. ``names``: the shortest first; ``takes`` are its arguments, empty: none."""

    names: tuple[str, ...]
    takes: str
    text: str
    do: Do


def _command(names: str, takes: str, text: str, do: Do) -> Command:
    return Command(tuple(names.split()), takes, text, do)


_PLACE = "[FILE:]LINE | FUNCTION [, CONDITION]"

COMMANDS = (
    _command("s step", "", "step into the next call", running.step),
    _command("n next", "", "step over the line", running.next_line),
    _command("unt until", "[LINE]", "run to a later line of the function", running.until),
    _command("r return", "", "run until the function has returned", running.finish),
    _command("c cont continue", "", "run to the next stop", running.go_on),
    _command("to", "[FILE:]LINE", "run to that line", running.run_to),
    _command("j jump", "LINE", "go on at that line, without running what is between", running.jump),
    _command("run restart", "[ARGUMENTS]", "begin the program again", running.run_again),
    _command("send", "[TEXT]", "type a line to the program's terminal", running.send),
    _command("q quit exit", "", "end the program and leave", running.leave),
    _command(
        "rec",
        "[off | write [FILE]]",
        "record from here on, or no more; write it to a file",
        past.record,
    ),
    _command("back rnext", "", "step back over the line before", past.back),
    _command("rstep", "", "step back, into calls that were made", past.back_into),
    _command("rout", "", "back to where this function was called", past.back_out),
    _command("rcont", "", "back to the breakpoint before", past.back_to_breakpoint),
    _command("now", "", "from the past to the present", past.to_present),
    _command("why", "[NAME]", "the line that changed a value last; or before", asking.why),
    _command("changes", "NAME", "all values that it had, and who made them", asking.changes),
    _command("when", "EXPRESSION", "when that became true in this function", asking.when),
    _command("whenlast", "EXPRESSION", "the same, backwards from here", asking.when_last),
    _command("passes", "[LINE]", "all passes of a line, with the values", asking.passes),
    _command("calls", "[FUNCTION]", "its calls: arguments, results", asking.calls),
    _command("go", "NUMBER", "to a row of the last of these tables", asking.go),
    _command("mark", "", "mark this moment of the past", asking.mark),
    _command("differ", "[run]", "what differs from there; or from the run before", asking.differ),
    _command("w where bt", "[all]", "the stack, the newest frame last", looking.where),
    _command("u up", "[COUNT]", "look at the caller", looking.up),
    _command("d down", "[COUNT]", "look at what was called", looking.down),
    _command("l list", "[. | LINE | FIRST, LAST]", "the source, eleven lines", looking.list_source),
    _command("ll longlist", "", "the source of the whole function", looking.list_function),
    _command("source", "EXPRESSION", "the source of an object", looking.show_source),
    _command("a args", "", "the arguments of the function", looking.show_arguments),
    _command("locals", "", "the variables of the function", looking.show_locals),
    _command("p", "EXPRESSION", "its value", looking.print_value),
    _command("pp", "EXPRESSION", "its value, over several lines", looking.print_pretty),
    _command("whatis", "EXPRESSION", "its type", looking.show_type),
    _command("retval rv", "", "what the last step saw return", running.show_returned),
    _command("display watch", "[EXPRESSION]", "show it at each stop if changed", looking.display),
    _command("undisplay unwatch", "[EXPRESSION]", "show it no more; or none", looking.undisplay),
    _command("exceptions", "", "the exception, with its traceback", looking.exceptions),
    _command("threads", "", "the threads of the program", looking.threads),
    _command("thread", "[NUMBER]", "look at another thread, and step it", looking.thread),
    _command(
        "job",
        "[RANKS COMMAND | wait COUNT [paused]]",
        "where all processes are; or command some: job 0,3-5 continue",
        job.job,
    ),
    _command("info", "", "program, state, process", looking.info),
    _command("b break", f"[{_PLACE}]", "set a breakpoint; or list all", stopping.set_breakpoint),
    _command("tbreak", _PLACE, "one that stops once", stopping.set_temporary),
    _command("log", "[FILE:]LINE TEXT", "write TEXT with its {values} there", stopping.set_log),
    _command("cl clear", "[NUMBERS | FILE:LINE]", "delete breakpoints; or all", stopping.clear),
    _command("enable", "[NUMBERS]", "let breakpoints stop again", stopping.enable),
    _command("disable", "[NUMBERS]", "let breakpoints stop no more", stopping.disable),
    _command("ignore", "NUMBER [COUNT]", "pass over its next hits", stopping.ignore),
    _command("condition", "NUMBER [EXPRESSION]", "stop only if that holds", stopping.condition),
    _command(
        "catch",
        "[raised | uncaught | user_uncaught | none | TYPE]",
        "the exceptions to stop at",
        stopping.catch,
    ),
)

BY_NAME = {name: command for command in COMMANDS for name in command.names}

OTHERS = (
    ("commands [NUMBER]", "commands to be run where it stops; `end` ends them"),
    ("h, help [COMMAND]", "this list"),
    ("! STATEMENT", "run a statement; what is no command is one, too"),
)
"""Commands of the line mode itself."""


def list_commands() -> list[str]:
    """Return a line for each command."""
    lines = [f"{_usage(command)}: {command.text}" for command in COMMANDS]
    return lines + [f"{usage}: {text}" for usage, text in OTHERS]


def describe(name: str) -> str:
    """Describe one command; empty for an unknown name."""
    command = BY_NAME.get(name)
    if command is not None:
        return f"{_usage(command)}: {command.text}"
    return next((f"{u}: {t}" for u, t in OTHERS if name in u.replace(",", "").split()), "")


def _usage(command: Command) -> str:
    return f"{', '.join(command.names)} {command.takes}".rstrip()
