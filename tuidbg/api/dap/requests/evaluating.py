"""Requests that evaluate, and that complete what is typed."""

from __future__ import annotations

from typing import Any

import msgspec

from tuidbg.api.dap.arguments import CompletionsArguments, EvaluateArguments
from tuidbg.api.dap.client import Client
from tuidbg.api.dap.requests.past import evaluate_recorded
from tuidbg.api.dap.requests.values import ValueRequests, changing_values, frame_of
from tuidbg.api.operations import table
from tuidbg.api.operations.views import view_result
from tuidbg.session.errors import UnsupportedByAdapter
from tuidbg.session.evaluation.evaluate import Context
from tuidbg.session.state import Variable

Json = dict[str, Any]

LIMIT = 3600.0
"""Seconds that an evaluation may take: whoever asked may cancel it."""

_QUICK = 30.0
"""Seconds that one may take that nobody has typed."""

_CONTEXTS = {
    "repl": Context.REPL,
    "hover": Context.HOVER,
    "watch": Context.WATCH,
    "variables": Context.WATCH,
    "clipboard": Context.WATCH,
}


class Evaluating:
    """One client's expressions."""

    def __init__(self, client: Client, values: ValueRequests) -> None:
        self._client = client
        self._values = values

    async def evaluate(self, asked: EvaluateArguments) -> Json:
        """Tells what an expression gives; in the context ``repl`` statements are run, too."""
        client, member = self._client, self._client.member
        member.control.must_stand("evaluate")
        if (place := client.references.recorded) is not None:
            frame_id, found = await evaluate_recorded(
                client, place, asked.expression, asked.frame_id
            )
            return self._result(asked.expression, frame_id, found)
        context = _CONTEXTS.get(asked.context or "watch", Context.WATCH)
        index, thread_id, frame_id = await frame_of(client, asked.frame_id)
        is_typed = context is Context.REPL
        with changing_values(client):
            found = await table.EVALUATE(
                member,
                asked.expression,
                frame_index=index,
                thread_id=thread_id,
                context=context,
                limit=LIMIT if is_typed else _QUICK,
            )
        if asked.context == "clipboard":
            whole = await self._whole(asked.expression, frame_id)
            view = view_result(asked.expression, msgspec.structs.replace(found, value=whole))
            return {"result": view.value, "variablesReference": 0}
        return self._result(asked.expression, frame_id, found)

    def _result(self, expression: str, frame_id: int, found: Variable) -> Json:
        view = view_result(expression, found)
        body = self._values.describe(frame_id, found)
        body["result"] = view.shown
        if view.shown != body.pop("value"):
            body["variablesReference"] = 0  # a secret shows nothing of what is in it
        body.pop("evaluateName", None)
        return body

    async def _whole(self, expression: str, frame_id: int) -> str:
        """The whole value as a text, however long."""
        session = self._client.session
        if not session.adapter.capabilities.supports_clipboard_context:
            found = await session.inspection.evaluate(expression, frame_id, "watch")
        else:
            found = await session.inspection.evaluate(expression, frame_id, "clipboard")
        return found.value

    async def complete(self, asked: CompletionsArguments) -> Json:
        """The names that could stand at the cursor."""
        client, session = self._client, self._client.session
        if not session.adapter.capabilities.supports_completions_request:
            raise UnsupportedByAdapter("this debug adapter completes nothing")
        client.member.control.must_stand("complete")
        if client.references.recorded is not None:
            return {"targets": []}  # the program's own names of now would be others
        _, _, frame_id = await frame_of(client, asked.frame_id)
        lines = asked.text.split("\n")
        first = 1 if client.traits.lines_start_at1 else 0
        row = min(max(0, (asked.line if asked.line is not None else first) - first), len(lines) - 1)
        before = sum(len(line) + 1 for line in lines[:row])
        column = asked.column - (1 if client.traits.columns_start_at1 else 0)
        cursor = before + _index_of(lines[row], column)
        found = await table.COMPLETE(session.evaluation, asked.text, cursor, frame_id)
        start = client.column_out(_units_of(asked.text[before : found.start]) + 1)
        length = _units_of(asked.text[found.start : cursor])
        return {"targets": [{"label": n, "start": start, "length": length} for n in found.names]}


def _units_of(text: str) -> int:
    """The length of a text as DAP counts it: in units of UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _index_of(line: str, units: int) -> int:
    """The place in a line behind so many units; its end where it has fewer."""
    before = line.encode("utf-16-le", "surrogatepass")[: 2 * max(0, units)]
    return len(before.decode("utf-16-le", "ignore"))
