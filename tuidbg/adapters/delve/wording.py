"""Parsing of Delve's messages: program exits, build errors, start errors."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path, PurePath

from tuidbg.adapters.traits import Said, SourceProblem
from tuidbg.dap.types import StoppedBody
from tuidbg.lines import split_lines

_QUOTED = re.compile(r'"(?P<text>.*)"\Z', re.DOTALL)
_CUT = re.compile(r"(?P<text>.*)\.\.\.\+(?P<more>\d+) more\Z", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))", re.DOTALL)
_SHORT = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def is_string(shown: str) -> bool:
    """Return whether a displayed value is a string."""
    return _QUOTED.match(shown) is not None


async def read_string(
    evaluate: Callable[[str], Awaitable[str]], expression: str, shown: str, limit: int
) -> tuple[str, int]:
    """Return a string's text, at most ``limit`` bytes, and its length (if truncated: in bytes).

    ``shown`` is its displayed value. Raises what ``evaluate`` raises.
    """
    text, more = _read(shown)
    if not more:
        whole = text.decode("utf-8", "replace")
        return whole[:limit], len(whole)
    total = int(await evaluate(f"len({expression})"))
    parts, offset = [text], total - more
    while more and offset < limit:
        part, more = _read(await evaluate(f"{expression}[{offset}:{total}]"))
        if not part:
            break
        parts.append(part)
        offset = total - more
    read = b"".join(parts)[:limit].decode("utf-8", "replace")
    return read, total if total > limit else len(read)


def _read(shown: str) -> tuple[bytes, int]:
    """Return the bytes in a displayed string, and the number of omitted ones."""
    found = _QUOTED.match(shown)
    text = found["text"] if found is not None else shown
    more = 0
    if (cut := _CUT.match(text)) is not None:
        text, more = cut["text"], int(cut["more"])
    return b"".join(_pieces(text)), more


def _pieces(text: str) -> list[bytes]:
    """Decode the escapes of ``strconv.Quote``."""
    pieces, begin = [], 0
    for found in _ESCAPE.finditer(text):
        pieces.append(text[begin : found.start()].encode("utf-8", "surrogatepass"))
        byte, short, long, char = found.groups()
        if byte:
            pieces.append(bytes([int(byte, 16)]))
        else:
            code = short or long
            pieces.append((chr(int(code, 16)) if code else _SHORT.get(char, char)).encode())
        begin = found.end()
    return [*pieces, text[begin:].encode("utf-8", "surrogatepass")]


_EXITED = re.compile(r"Process \d+ has exited with status (-?\d+)\s*\Z")
_CHATTER = re.compile(
    r"Type 'dlv help' for list of commands\.|Detaching\b|Closing client session"
    r"|Too many goroutines, only loaded \d+"
)
_BUILD = re.compile(r"Build Error: [^\n]*\n(?P<told>.*?)(?: \(exit status \d+\))?\s*\Z", re.DOTALL)
_PLACE = re.compile(r"(?P<file>\S[^:\n]*\.go):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<what>.+)")
_PREFIXES = ("Failed to launch: ", "Failed to attach: ", "could not launch process: ")

STRIPPED = (
    "it has no debug information; build it without -ldflags='-s -w', best with -gcflags='all=-N -l'"
)


ALREADY = "Breakpoint exists at "
_NO_STATEMENT = re.compile(r"could not find statement at .*:(\d+), please use a line")
_AMBIGUOUS = re.compile(r'Location "([^"]*)" ambiguous: (.*)')
_NOT_FOUND = re.compile(r'location "([^"]*)" not found')


def explain_breakpoint(message: str, find: Callable[[str], list[str]]) -> str:
    """Return why a breakpoint was refused; ``find`` finds own functions by name."""
    if found := _NO_STATEMENT.match(message):
        return f"no executable code at line {found[1]}"
    if found := _NOT_FOUND.match(message):
        return f"there is no function {found[1]}; name it with its package, like main.{found[1]}"
    if found := _AMBIGUOUS.match(message):
        candidates = find(found[1]) or found[2].removesuffix("…").split(", ")
        named = ", ".join(candidates[:5])
        return f"there are several functions {found[1]}; name one with its package, like {named}"
    if message.startswith(ALREADY):
        return "there is another breakpoint at that place"
    return message


def read_output(text: str) -> Said:
    """Parse a console message of the debugger: the exit code, or relevant words."""
    if text.startswith("Detaching and terminating"):
        return Said(has_ended=True)
    exited = _EXITED.match(text)
    if exited is not None:
        return Said(exit_code=int(exited[1]))
    return Said("" if _CHATTER.match(text) else text)


def read_build(text: str) -> str | None:
    """Return the compiler's output; None if it is no build report."""
    found = _BUILD.match(text)
    return found["told"] if found is not None else None


def find_build_problem(told: str, folder: Path) -> SourceProblem:
    """Return the first compiler error, and the number of further ones."""
    places = [found for line in split_lines(told) if (found := _PLACE.match(line.strip()))]
    if not places:
        lines = [line for line in split_lines(told) if line.strip() and not line.startswith("#")]
        return SourceProblem(lines[0].strip() if lines else "it could not be built")
    first = places[0]
    name = PurePath(first["file"]).name
    more = len(places) - 1
    rest = f" (and {more} more)" if more else ""
    return SourceProblem(
        f"{name}:{first['line']}: {first['what'].strip()}{rest}",
        path=str((folder / first["file"]).resolve()),
        line=int(first["line"]),
        column=int(first["column"] or 0),
    )


def explain(reason: str) -> str:
    """Return Delve's start or attach error in plain words."""
    for prefix in _PREFIXES:
        reason = reason.removeprefix(prefix)
    if "could not open debug info" in reason:
        return STRIPPED
    if "Operation not permitted" in reason or "operation not permitted" in reason:
        return "this system does not let it be debugged (see /proc/sys/kernel/yama/ptrace_scope)"
    if reason == "no debugger found":
        return (
            "that Delve waits for a program to launch (`dlv dap`); start the program by"
            " `dlv debug --headless --accept-multiclient --listen HOST:PORT`"
        )
    if "not an executable file" in reason:
        return "it is no program of this machine"
    return reason.strip()


def unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    return text


_NOT_EVALUATED = (
    *("Unable to evaluate expression: ", "error evaluating expression: "),
    "Unable to set variable: ",
)
_NO_BOOLEAN = "condition expression not boolean"


def explain_evaluation(reason: str) -> str:
    """Return why an expression could not be evaluated."""
    for prefix in _NOT_EVALUATED:
        reason = reason.removeprefix(prefix)
    return reason


def read_condition_failure(stopped: StoppedBody) -> str:
    """Return why a breakpoint's condition failed, if so; Delve reports it as an exception."""
    text = stopped.text or ""
    if stopped.reason != "exception" or stopped.description != "runtime error":
        return ""
    if text == _NO_BOOLEAN:
        return "it is neither true nor false"
    return explain_evaluation(text) if text.startswith(_NOT_EVALUATED[1]) else ""
