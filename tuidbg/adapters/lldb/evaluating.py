"""Reads how LLDB words what comes of expressions: values, errors, conditions that fail."""

from __future__ import annotations

import re

from tuidbg.adapters.lldb.evaluate_request import without_echo

_RESULT = re.compile(r"\((?P<type>[^\n]*?)\) \$\w+ = (?P<value>.*)", re.DOTALL)
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
    """The value of an expression; what a command has written stays as it is."""
    text = without_echo(text)
    found = _RESULT.fullmatch(text)
    return found["value"] if found is not None else text


def explain_evaluation(reason: str) -> str:
    """Returns what the compiler says, without what it says each time."""
    reason = _PLACE.sub("", _PREFACE.sub("", reason)).strip("\n")
    return reason.removeprefix("error: ")


class ConditionChatter:
    """Its lines about conditions that failed, at each pass of each; the session tells of these."""

    def __init__(self) -> None:
        self._goes_on = False

    def includes(self, text: str) -> bool:
        """Returns whether that is one of them; asked of each line in its turn."""
        if _FAILED.match(text):
            self._goes_on = True
        elif self._goes_on:
            self._goes_on = text.startswith(_MORE)
        return self._goes_on
