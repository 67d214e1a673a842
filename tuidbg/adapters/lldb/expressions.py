"""Commands and expressions for lldb-dap, through DAP's ``evaluate``."""

from __future__ import annotations

import re

import msgspec

from tuidbg.adapters.errors import RequestFailed
from tuidbg.adapters.native import Ask
from tuidbg.dap.types import EvaluateBody

ESCAPE = "`"
"""Prefix of LLDB commands in the ``repl`` context (lldb-dap's ``commandEscapePrefix``)."""

# A function of the program that never returns must not block the debugger: 0.3 s are plenty.
_EXPRESSION = "expression -l c++ -t 300000 -i true -u true -- "
_RESULT = re.compile(r"\((?P<type>[^$\n]*)\) \$\d+ = (?P<value>.*)", re.DOTALL)
_ECHO = re.compile(r"\A\(lldb\) [^\n]*(?:\n|\Z)")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|\d+")


class ExpressionResult(msgspec.Struct, frozen=True):
    """The result of an expression; after an error ``type`` is empty and ``value`` is the reason."""

    value: str
    type: str = ""


async def command(ask: Ask, text: str, frame_id: int | None = None) -> str:
    """Run an LLDB command and return its output, including errors. Raises AdapterError."""
    arguments: dict[str, object] = {"expression": ESCAPE + text, "context": "repl"}
    if frame_id is not None:
        arguments["frameId"] = frame_id
    return without_echo((await ask("evaluate", arguments, into=EvaluateBody)).result)


def without_echo(told: str) -> str:
    """Return a command's output without the command, which 19 echoes."""
    return _ECHO.sub("", told)


async def evaluate(ask: Ask, expression: str, frame_id: int | None) -> ExpressionResult:
    """Evaluate an expression without calls, in a frame, or (None) among the globals."""
    if frame_id is None:
        return await call(ask, expression)
    arguments = {"expression": expression, "context": "watch", "frameId": frame_id}
    try:
        body = await ask("evaluate", arguments, into=EvaluateBody)
    except RequestFailed as error:
        return ExpressionResult(error.reason)
    return ExpressionResult(body.result, body.type or "?")


async def call(ask: Ask, expression: str, frame_id: int | None = None) -> ExpressionResult:
    """Evaluate an expression that may call functions; in ``watch`` such a call can hang."""
    told = await command(ask, _EXPRESSION + expression, frame_id)
    found = _RESULT.search(told)
    return (
        ExpressionResult(found["value"].strip(), found["type"])
        if found is not None
        else ExpressionResult(told)
    )


def read_number(text: str) -> int | None:
    """Return the number that a value begins with; None if it has none."""
    found = _NUMBER.match(text.strip())
    return int(found[0], 0 if found[0][:2].lower() == "0x" else 10) if found is not None else None


_EVALUATED = re.compile(r"\((?P<type>[^\n]*?)\) \$\w+ = (?P<value>.*)", re.DOTALL)
_PREFACE = re.compile(
    r"(?:Expression evaluation in pure C not supported\. )?Ran expression as [^\n]*\n"
)
_PLACE = re.compile(r"^(?:error: )?<user expression \d+>:\d+:\d+: ", re.MULTILINE)

_FAILED = re.compile(r"error: stopped due to an error evaluating condition of breakpoint ")
_MORE = (
    "Couldn't ",
    "Expression evaluation in pure C",
    "Ran expression as ",
    "error: ",
    "note: ",
    "warning: ",
    " ",
)


def read_result(text: str) -> str:
    """Return an expression's value; a command's output stays unchanged."""
    text = without_echo(text)
    found = _EVALUATED.fullmatch(text)
    return found["value"] if found is not None else text


def explain_evaluation(reason: str) -> str:
    """Return the compiler's error without its standard parts."""
    reason = _PLACE.sub("", _PREFACE.sub("", reason)).strip("\n")
    return reason.removeprefix("error: ")


class ConditionChatter:
    """LLDB's output about failed conditions, at each execution; the session reports them itself."""

    def __init__(self) -> None:
        self._goes_on = False

    def includes(self, text: str) -> bool:
        """Return whether a line belongs to it; called for each line in order."""
        if _FAILED.match(text):
            self._goes_on = True
        elif self._goes_on:
            self._goes_on = text.startswith(_MORE)
        return self._goes_on
