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
"""Those for single steps."""

_PROVE = (
    "\nName the guilty line and the wrong value, each from an answer. Change nothing unless you are"
    " asked to."
)

_PROGRAM = {"program": "the script, with its arguments"}

AGENT_PROMPTS = (
    Prompt(
        name="wrong_value",
        description="A value is wrong: which line made it so",
        arguments={**_PROGRAM, "expression": "what is wrong, such as order.total"},
        text=(
            "In a run of {program}, {expression} is wrong. Find the line that made it so.\n"
            "1. debug_run with record, a breakpoint where it is seen (FILE:TEXT of the statement)"
            " and {expression} in evaluate.\n"
            "2. why expression={expression}: its last changes, each with its line. Where that line"
            " only passes a wrong value on, why for what it read, with the moment of the answer.\n"
            "3. Where nothing was recorded: trace with places and expressions." + _PROVE
        ),
    ),
    Prompt(
        name="exception",
        description="An exception: where the value at fault came from",
        arguments={**_PROGRAM, "exception_type": "its name, such as KeyError"},
        text=(
            "{program} raises {exception_type}, or swallows it. Find the cause.\n"
            '1. debug_run with record and exceptions=["{exception_type}"]: it stops where that is'
            " raised, handled or not; debug_go goes to the next one.\n"
            "2. Read source, stack and locals; exception_get_context tells the chain of causes.\n"
            "3. why on the value at fault." + _PROVE
        ),
    ),
    Prompt(
        name="hang",
        description="It hangs: what waits for what",
        arguments=_PROGRAM,
        text=(
            "{program} does not end, or does not answer. Find what it waits for.\n"
            "1. debug_run timeout_ms=5000; of one that runs already with attach. Its waits say what"
            " each waits for, who holds it, deadlocks by name, and who is busy.\n"
            "2. threads tells all stacks to their ends.\n"
            "3. What is busy: debug_go action=pause with the loop's variables in"
            " evaluate, then debug_go action=over." + _PROVE
        ),
    ),
    Prompt(
        name="race",
        description="Threads or tasks get into each other's way",
        arguments={**_PROGRAM, "expression": "what they share, such as self.count"},
        text=(
            "In {program} {expression} goes wrong when several threads or tasks run. Find the two"
            " places.\n"
            "1. trace at each statement that reads or writes it, with {expression} and"
            " threading.current_thread().name: look for a read that another one's write follows.\n"
            "2. With record, why tells each write with its thread and moment; step_back way=stay"
            " tells the rest.\n"
            "3. compare runs it twice and tells where the runs part." + _PROVE
        ),
    ),
    Prompt(
        name="slow_loop",
        description="A loop is slow, or has no end",
        arguments={**_PROGRAM, "function": "that is slow, such as find_pairs"},
        text=(
            "{function} in {program} takes too long. Find why.\n"
            "1. debug_run with record and timeout_ms=5000, then calls function={function}: how"
            " often, with which arguments.\n"
            "2. trace at the loop's statement with the variables that should come nearer to the"
            " end: one that does not change, or a size that grows, is the fault.\n"
            "3. debug_go action=pause says where it is just now." + _PROVE
        ),
    ),
    Prompt(
        name="failing_test",
        description="A test fails: from its assertion to the line",
        arguments={"test": "FILE::TEST"},
        text=(
            "{test} fails. Find the line that is at fault.\n"
            "1. run_test test={test}: the assertion, the values of its parts and who changed them"
            " last, frames, locals, output.\n"
            "2. why on the value that is wrong, at the moment of the answer; source NAME where a"
            " function is not shown." + _PROVE
        ),
    ),
    Prompt(
        name="flaky_test",
        description="A test fails only sometimes",
        arguments={"test": "FILE::TEST"},
        text=(
            "{test} fails only sometimes. Find what differs.\n"
            '1. compare module=pytest args=["-q", "-p", "no:randomly", "{test}"]: two runs and the'
            " first place where they part; again until one of them fails.\n"
            "2. What differs first is the cause or comes from it: time, random numbers, the order"
            " of a set, of threads or of tests. why and source for where it comes from.\n"
            "3. For the order of tests: run_test with the tests before it in args." + _PROVE
        ),
    ),
    Prompt(
        name="works_here_fails_there",
        description="It works in one environment and fails in another",
        arguments={**_PROGRAM, "difference": "what differs, such as TZ=UTC or another input"},
        text=(
            "{program} works, but not with {difference}. Find the first place where that"
            " matters.\n"
            "1. compare with other_env or other_args for {difference}: the moment where the second"
            " run parts from the first, with both values.\n"
            "2. step_back way=stay at that moment for stack and locals; why for where the value"
            " comes from." + _PROVE
        ),
    ),
)
"""Those for the agents' set: by the symptom."""


def prompts_of(tool_set: str) -> tuple[Prompt, ...]:
    """The prompts whose tools are in that set."""
    return AGENT_PROMPTS if tool_set == "agent" else PROMPTS
