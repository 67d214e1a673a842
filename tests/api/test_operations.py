"""The table of operations: somebody offers each row, and has words for each of its errors."""

from __future__ import annotations

from tuidbg.api.auth.callers import TokenScope
from tuidbg.api.bridge.actions import ACTIONS
from tuidbg.api.dap.commands import COMMANDS
from tuidbg.api.mcp.refusals import CODES
from tuidbg.api.mcp.tool_sets import TOOL_SETS
from tuidbg.api.operations import table
from tuidbg.api.operations.operation import Operation, words_for
from tuidbg.session.core.sources.definitions import SourceNotNamed
from tuidbg.session.model.errors import (
    AdapterTimedOut,
    AttachFailed,
    DebuggerError,
    InvalidSessionState,
)

ROWS = [row for row in vars(table).values() if isinstance(row, Operation)]

OF_THE_PAST = (
    *(table.READ_RECORDING, table.END_RECORDING, table.READ_PAST_STACK),
    *(table.READ_PAST_VARIABLES, table.OPEN_PAST_VALUE, table.EVALUATE_PAST),
    *(table.LIST_PASSES, table.LIST_VALUES),
)
"""REST alone offers them by themselves."""


def test_a_row_is_told_apart_by_its_name() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)


def test_somebody_offers_each_row() -> None:
    named = {action.operation.name for action in ACTIONS.values()}
    named |= {tool.operation.name for tools in TOOL_SETS.values() for tool in tools}
    named |= {each.operation.name for each in COMMANDS.values() if each.operation is not None}
    of_editors = (table.REPLACE_BREAKPOINTS.name,)  # of all kinds, by several requests
    of_rest_alone = (table.LOOK_AT_SERVER.name, table.DELETE_SESSION.name, table.STEP_OUT.name)
    of_past = {row.name for row in OF_THE_PAST}
    # Tools that ask by several rows are said to be of the first one.
    of_compare = (table.KEEP_RECORDING.name, table.COMPARE_RUNS.name)
    of_past |= {*of_compare, table.WAIT_FOR_EXPRESSION.name}
    assert named | {*of_rest_alone, *of_editors, *of_past} == {row.name for row in ROWS}


def test_an_agent_has_words_for_each_error_of_what_it_is_offered() -> None:
    by_state = {InvalidSessionState, SourceNotNamed}  # what is said of them is their own
    tools = {*TOOL_SETS["breakpoints"], *TOOL_SETS["agent"]}
    kinds = {kind for tool in tools for kind in tool.operation.errors}
    assert kinds - by_state <= CODES.keys()


def test_words_are_those_of_the_nearest_kind() -> None:
    class Refused(AttachFailed):
        """A kind of its own."""

    column: dict[type, str] = {DebuggerError: "any", AttachFailed: "attach"}
    assert words_for(Refused(), column, "none") == "attach"
    assert words_for(AdapterTimedOut(), column, "none") == "any"
    assert words_for(AdapterTimedOut(), {AttachFailed: "attach"}, "none") == "none"


def test_who_may_do_what_depends_on_the_operation_alone() -> None:
    by_name = {row.name: row.scope for row in ROWS}
    assert {action.scope for action in ACTIONS.values()} <= set(TokenScope)
    for tool in TOOL_SETS["all"]:
        assert tool.scope is by_name[tool.operation.name]
