"""The table of the line mode's commands: pdb's names, arguments, descriptions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from tuidbg.plain.commands import execution, inspection, recording
from tuidbg.plain.context import CommandContext

Do = Callable[[CommandContext, str], Awaitable[None]]


class LineCommand(msgspec.Struct, frozen=True):
    """One command. ``names``: the shortest first; ``takes`` are its arguments, empty: none."""

    names: tuple[str, ...]
    takes: str
    text: str
    do: Do


def _command(names: str, takes: str, text: str, do: Do) -> LineCommand:
    return LineCommand(tuple(names.split()), takes, text, do)


_PLACE = "[FILE:]LINE | FUNCTION [, CONDITION]"

COMMANDS = (
    _command("s step", "", "step into the next call", execution.step),
    _command("n next", "", "step over the line", execution.next_line),
    _command("unt until", "[LINE]", "run to a later line of the function", execution.until),
    _command("r return", "", "run until the function has returned", execution.finish),
    _command("c cont continue", "", "run to the next stop", execution.go_on),
    _command("to", "[FILE:]LINE", "run to that line", execution.run_to),
    _command("j jump", "LINE", "go on at that line, skipping the lines between", execution.jump),
    _command("run restart", "[ARGUMENTS]", "begin the program again", execution.run_again),
    _command("send", "[TEXT]", "type a line to the program's terminal", execution.send),
    _command("q quit exit", "", "end the program and leave", execution.leave),
    _command(
        "rec",
        "[off | write [FILE]]",
        "start or stop recording; write it to a file",
        recording.record,
    ),
    _command("back rnext", "", "step back over the line before", recording.back),
    _command("rstep", "", "step back, into calls that were made", recording.back_into),
    _command("rout", "", "back to where this function was called", recording.back_out),
    _command("rcont", "", "back to the breakpoint before", recording.back_to_breakpoint),
    _command("now", "", "from the past to the present", recording.to_present),
    _command("why", "[NAME]", "the line that changed a value last; or before", recording.why),
    _command("changes", "NAME", "all its values, with the lines that set them", recording.changes),
    _command("when", "EXPRESSION", "when that became true in this function", recording.when),
    _command("whenlast", "EXPRESSION", "the same, backwards from here", recording.when_last),
    _command("passes", "[LINE]", "all passes of a line, with the values", recording.passes),
    _command("calls", "[FUNCTION]", "its calls: arguments, results", recording.calls),
    _command("go", "NUMBER", "to a row of the last of these tables", recording.go),
    _command("mark", "", "mark this moment of the past", recording.mark),
    _command(
        "differ", "[run]", "the differences from there, or from the run before", recording.differ
    ),
    _command("w where bt", "[all]", "the stack, the newest frame last", inspection.where),
    _command("u up", "[COUNT]", "select the caller", inspection.up),
    _command("d down", "[COUNT]", "select a called frame", inspection.down),
    _command(
        "l list", "[. | LINE | FIRST, LAST]", "the source, eleven lines", inspection.list_source
    ),
    _command("ll longlist", "", "the source of the whole function", inspection.list_function),
    _command("source", "EXPRESSION", "the source of an object", inspection.show_source),
    _command("a args", "", "the arguments of the function", inspection.show_arguments),
    _command("locals", "", "the variables of the function", inspection.show_locals),
    _command("p", "EXPRESSION", "its value", inspection.print_value),
    _command("pp", "EXPRESSION", "its value, over several lines", inspection.print_pretty),
    _command("whatis", "EXPRESSION", "its type", inspection.show_type),
    _command("retval rv", "", "the value that the last step returned", execution.show_returned),
    _command(
        "display watch", "[EXPRESSION]", "show it at each stop if changed", inspection.display
    ),
    _command("undisplay unwatch", "[EXPRESSION]", "show it no more; or none", inspection.undisplay),
    _command("exceptions", "", "the exception, with its traceback", inspection.exceptions),
    _command("threads", "", "the threads of the program", inspection.threads),
    _command("thread", "[NUMBER]", "look at another thread, and step it", inspection.thread),
    _command(
        "job",
        "[RANKS COMMAND | wait COUNT [paused]]",
        "where all processes are; or command some: job 0,3-5 continue",
        inspection.job,
    ),
    _command("info", "", "program, state, process", inspection.info),
    _command("b break", f"[{_PLACE}]", "set a breakpoint; or list all", execution.set_breakpoint),
    _command("tbreak", _PLACE, "one that stops once", execution.set_temporary),
    _command("log", "[FILE:]LINE TEXT", "write TEXT with its {values} there", execution.set_log),
    _command("cl clear", "[NUMBERS | FILE:LINE]", "delete breakpoints; or all", execution.clear),
    _command("enable", "[NUMBERS]", "let breakpoints stop again", execution.enable),
    _command("disable", "[NUMBERS]", "let breakpoints stop no more", execution.disable),
    _command("ignore", "NUMBER [COUNT]", "pass over its next hits", execution.ignore),
    _command("condition", "NUMBER [EXPRESSION]", "stop only if that holds", execution.condition),
    _command(
        "catch",
        "[raised | uncaught | user_uncaught | none | TYPE]",
        "the exceptions to stop at",
        execution.catch,
    ),
)

BY_NAME = {name: command for command in COMMANDS for name in command.names}

OTHERS = (
    ("commands [NUMBER]", "commands to be run where it stops; `end` ends them"),
    ("h, help [COMMAND]", "this list"),
    ("! STATEMENT", "run a statement; other input is one, too"),
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


def _usage(command: LineCommand) -> str:
    return f"{', '.join(command.names)} {command.takes}".rstrip()
