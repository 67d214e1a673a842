"""Prompts: ways of working that a person can hand to an agent."""

from __future__ import annotations

import msgspec


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt. ``text`` has a ``{name}`` for each argument; ``arguments`` say what they are."""

    name: str
    description: str
    arguments: dict[str, str] = {}
    text: str

    def fill(self, given: dict[str, str]) -> str:
        """The text with the arguments in it; those that are missing say so."""
        known = {name: given.get(name) or f"<{name}>" for name in self.arguments}
        return self.text.format(**known)


PROMPTS = (
    Prompt(
        name="diagnose_exception",
        description="Find out why an exception is raised",
        arguments={"exception_type": "its name, such as ValueError"},
        text=(
            "Find the cause of {exception_type} in the program under the debugger.\n"
            "1. debug_state: is it at an exception already? Else breakpoint_set_exception for"
            " {exception_type}, debug_continue, breakpoint_wait.\n"
            "2. exception_get_context: read the chain, the throwing frame and its locals first.\n"
            "3. Go up the frames until you see where the wrong value came from; variables_get with"
            " `expand` shows what is inside one.\n"
            "4. Say which line is wrong, why, and what you saw that proves it. Change nothing in"
            " the program unless you are asked to."
        ),
    ),
    Prompt(
        name="trace_value",
        description="Find out where a value goes wrong",
        arguments={
            "expression": "the value, such as order.total",
            "file": "the source in which it is used",
        },
        text=(
            "Find out where {expression} gets its wrong value in {file}.\n"
            "1. Read debugger://source/ and its path; choose the lines where {expression} is set or"
            " used.\n"
            "2. tracepoint_set at each of them with the log_message `{{{expression}}}`; they never"
            " stop the program.\n"
            "3. debug_continue; the notifications debugger/breakpointHit tell each passage. The"
            " first one with a wrong value is the place to look at.\n"
            "4. breakpoint_set there with a condition that holds for the wrong value only,"
            " breakpoint_wait, and look at the frames below.\n"
            "5. breakpoint_remove what you have set, and say what you found."
        ),
    ),
)
"""All prompts."""
