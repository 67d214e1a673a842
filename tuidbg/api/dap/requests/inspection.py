"""Requests that read threads, stacks, values and memory."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from tuidbg.api.dap.arguments import (
    CompletionsArguments,
    DisassembleArguments,
    EvaluateArguments,
    FrameArguments,
    ModulesArguments,
    NoArguments,
    ReadMemoryArguments,
    SetExpressionArguments,
    SetVariableArguments,
    SourceArguments,
    StackTraceArguments,
    VariablesArguments,
    WriteMemoryArguments,
)
from tuidbg.api.dap.client import ORIGIN, DapClient
from tuidbg.api.dap.references import BadRequest, ClientFrame, Container
from tuidbg.api.dap.requests.execution import evaluate_recorded, recorded_stack
from tuidbg.api.operations import table
from tuidbg.api.operations.views import (
    view_frame,
    view_raw,
    view_result,
    view_source,
    view_variable,
)
from tuidbg.dap.types import parse_reference
from tuidbg.session.core.evaluation.prompt import EvaluationContext
from tuidbg.session.core.sources.program_facts import LoadedModule
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.core.values.variables import MOST, ChildKind, is_indexed
from tuidbg.session.features.native.disassembly import LARGEST_PAGE, Instruction
from tuidbg.session.features.native.memory import LARGEST_READ
from tuidbg.session.features.native.views import NativeViews
from tuidbg.session.model.errors import (
    DebuggerError,
    EvaluationFailed,
    NoInstructions,
    StaleReply,
    UnsupportedByAdapter,
)
from tuidbg.session.model.events import ValuesChanged
from tuidbg.session.model.state import Frame, Place, Status, ValueProblem, Variable, VariableKind

Json = dict[str, Any]

MOST_FRAMES = 1_000
"""Maximum number of frames in one response."""

_RUNS = (Status.RUNNING, Status.PAUSED)


class StackRequests:
    """Requests of one client about threads, stacks and sources."""

    def __init__(self, client: DapClient) -> None:
        self._client = client
        self._sources: dict[int, str] = {}

    async def threads(self, asked: NoArguments) -> Json:
        """Return the threads; empty without a program."""
        member = self._client.member
        session = member.session
        if session.status not in _RUNS:
            return {"threads": []}
        known = session.threads
        if not known or session.threads_changed:
            known = (await table.LIST_THREADS(member)).threads
        return {"threads": [{"id": each.id, "name": each.name} for each in known]}

    async def stack_trace(self, asked: StackTraceArguments) -> Json:
        """Return frames of a thread of the stopped program."""
        client, member = self._client, self._client.member
        session = member.session
        count = asked.levels if 0 < asked.levels <= MOST_FRAMES else MOST_FRAMES
        start = max(0, asked.start_frame)
        stop = member.control.must_stand("show the stack")
        if (place := client.references.recorded) is not None:
            past = await recorded_stack(client, place, asked.thread_id, start, count)
            if client.references.recorded is not place:
                raise StaleReply("stack")
            told = [self._frame(asked.thread_id, each) for each in past.frames]
            return {"stackFrames": told, "totalFrames": past.total}
        if asked.thread_id == stop.thread_id and session.stack_of != stop.id:
            await session.events.wait_for(
                lambda: session.stack_of == stop.id or session.stop_id != stop.id
            )
            member.control.must_stand("show the stack")
        total = client.teller.total_frames if client.teller is not None else 0
        is_known = asked.thread_id == stop.thread_id and session.stack_of == stop.id
        known = session.frames
        if is_known and total and (start + count <= len(known) or total <= len(known)):
            frames = known[start : start + count]
        else:
            page = await table.READ_STACK(member, asked.thread_id, start, count=count)
            frames, total = page.frames, page.total
        told = [self._frame(asked.thread_id, each) for each in frames]
        return {"stackFrames": told, "totalFrames": max(total, start + len(told) if told else 0)}

    def _frame(self, thread_id: int, frame: Frame) -> Json:
        client = self._client
        view = view_frame(frame)
        name = f"{view.name} ({view.remark})" if frame.is_earlier and view.remark else view.name
        key = (thread_id, frame.index, max(0, frame.id))  # recorded ids differ at each reading
        number = client.references.frames.give(ClientFrame(thread_id, frame), key)
        body: Json = {"id": number, "name": name, "line": 0, "column": 0}
        is_library = client.session.sources.is_frame_of_library(frame)
        if view.place is not None:
            body["line"] = client.line_out(view.place.line)
            body["column"] = client.column_out(max(1, view.place.column))
            body["source"] = self._source(view.place, is_library=is_library)
        if view.is_subtle or is_library or frame.is_earlier:
            body["presentationHint"] = "subtle"
        if view.module:
            body["moduleId"] = view.module
        if view.address is not None:
            body["instructionPointerReference"] = hex(view.address)
        return body

    def _source(self, place: Place, *, is_library: bool) -> Json:
        path = self._client.path_out(place.path)
        body: Json = {"name": place.path.rpartition("/")[2] or place.path, "path": path}
        if place.reference:
            body["sourceReference"] = place.reference
            self._sources[place.reference] = place.path
        if is_library:
            body["presentationHint"] = "deemphasize"
            body["origin"] = "library"
        return body

    async def source(self, asked: SourceArguments) -> Json:
        """Return the text of a source that is no local file."""
        session = self._client.session
        number, named = asked.source_reference, asked.source
        if named is not None and named.source_reference:
            number = named.source_reference
        path = (named.path if named is not None else "") or self._sources.get(number, "")
        text = await table.READ_SOURCE(session.inspection, number, path)
        return {"content": view_source(text)}

    async def modules(self, asked: ModulesArguments) -> Json:
        """Return the loaded modules."""
        found = await table.LIST_LOADED(self._client.session.modules)
        start = max(0, asked.start_module)
        end = start + asked.module_count if asked.module_count > 0 else len(found)
        return {"modules": [_module(each) for each in found[start:end]], "totalModules": len(found)}

    async def loaded_sources(self, asked: NoArguments) -> Json:
        """Return the Python sources of the loaded modules."""
        found = await table.LIST_LOADED(self._client.session.modules)
        paths = sorted({each.path for each in found if each.path.endswith((".py", ".pyw"))})
        path_out = self._client.path_out
        named = [{"name": path.rpartition("/")[2], "path": path_out(path)} for path in paths]
        return {"sources": named}


def _module(found: LoadedModule) -> Json:
    body: Json = {"id": found.name, "name": found.name}
    for name, value in (
        ("path", found.path),
        ("version", found.version),
        ("addressRange", found.address),
        ("symbolStatus", found.symbols),
    ):
        if value:
            body[name] = value
    return body


FIRST_PAGE = 200
"""Number of locals fetched together with the scopes of a frame."""

_LAZY = (ValueProblem.LATER, ValueProblem.LAZY, ValueProblem.SLOW)

_KINDS = {
    VariableKind.SPECIAL: "virtual",
    VariableKind.CALLABLE: "method",
    VariableKind.CLASS: "class",
    VariableKind.PROPERTY: "property",
    VariableKind.RETURNED: "virtual",
}

_PATTERN = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*|\[[^\[\]=]+\])*")
"""Matches expressions that can be assigned to."""


@contextmanager
def changing_values(client: DapClient) -> Iterator[None]:
    """Report the client's change of values by its response; only other clients get events."""
    teller = client.teller
    if teller is None:
        yield
        return
    teller.own_changes += 1
    try:
        yield
    finally:
        teller.own_changes -= 1


class ValueRequests:
    """Requests of one client that read and set values."""

    def __init__(self, client: DapClient) -> None:
        self._client = client

    async def scopes(self, asked: FrameArguments) -> Json:
        """Return the scopes of a frame; the first page of its locals is fetched with them."""
        client, session = self._client, self._client.session
        frame = client.references.frames.get(asked.frame_id).frame
        nodes = await session.values.look(frame.id, {"Locals": ChildrenRequest(count=FIRST_PAGE)})
        scopes = []
        for node in nodes:
            container = Container(node.variable.reference, frame.id)
            name = node.variable.name
            scope: Json = {
                "name": name,
                "variablesReference": client.references.values.give(container),
                "expensive": node.children is None,
            }
            if node.children is not None:
                if node.start == 0 and node.total <= len(node.children):
                    container.page = tuple(child.variable for child in node.children)
                scope |= self._counts(node.total, 0)
                scope["presentationHint"] = "locals"
            elif name.startswith("Register"):
                scope["presentationHint"] = "registers"
            scopes.append(scope)
        return {"scopes": scopes}

    def _counts(self, named: int, indexed: int) -> Json:
        if not self._client.traits.supports_variable_paging:
            return {}
        found = {"namedVariables": named, "indexedVariables": indexed}
        return {name: count for name, count in found.items() if count}

    async def variables(self, asked: VariablesArguments) -> Json:
        """Return the children of a scope or variable, all or a page."""
        client, member = self._client, self._client.member
        container = client.references.values.get(asked.variables_reference)
        if container.lazy is not None:
            return {"variables": [await self._loaded(container)]}
        start, count = max(0, asked.start) + container.start, asked.count
        part = ChildKind(asked.filter or container.part)
        if container.page is not None:
            found = _of_part(self, container, part)[start:]
            found = found[:count] if count > 0 else found
            return {"variables": [self._variable(container, each) for each in found]}
        most = count if 0 < count <= MOST else MOST
        page = await table.READ_VARIABLES(member, container.reference, part, start, most)
        told = [self._variable(container, each) for each in page.variables]
        rest = page.total - start - len(page.variables)
        if rest > 0 and len(page.variables) == most and (count <= 0 or count > most):
            more = Container(container.reference, container.frame_id, part=part)
            more.start = start + len(page.variables)
            number = client.references.values.give(more)
            told.append(
                {"name": "…", "value": f"{rest} more", "variablesReference": number}
                | {"presentationHint": {"kind": "virtual"}}
            )
        return {"variables": told}

    async def _loaded(self, container: Container) -> Json:
        """Evaluate a lazy value now."""
        lazy = container.lazy
        assert lazy is not None
        try:
            loaded = await self._client.session.values.load(lazy)
        except EvaluationFailed as error:
            return {"name": "", "value": f"<{error}>", "variablesReference": 0}
        return self._variable(container, loaded) | {"name": ""}

    def _variable(self, container: Container, found: Variable) -> Json:
        container.children[found.name] = found
        return {"name": found.name, **self.describe(container.frame_id, found)}

    def describe(self, frame_id: int, found: Variable) -> Json:
        """Render a value, without its name."""
        client = self._client
        view = view_variable(found)
        is_lazy = found.problem in _LAZY and found.handle > 0
        reference = 0
        if is_lazy:
            reference = client.references.values.give(Container(0, frame_id, lazy=found))
        elif view.reference:
            reference = client.references.values.give(Container(view.reference, frame_id))
        body: Json = {"value": view.shown, "variablesReference": reference}
        if client.traits.supports_variable_type and view.type:
            body["type"] = view.type
        if view.evaluate_name:
            body["evaluateName"] = view.evaluate_name
        if reference and not is_lazy:
            counted = client.session.inspection.references.counts(view.reference)
            parts = (view.named, view.indexed) if counted is None else counted
            body |= self._counts(*parts)
        hint: Json = {"kind": kind} if (kind := _KINDS.get(view.kind)) else {}
        if is_lazy:
            hint["lazy"] = True
        if hint:
            body["presentationHint"] = hint
        if view.memory_reference and client.traits.supports_memory_references:
            body["memoryReference"] = view.memory_reference
        return body

    # Assignment

    async def set_variable(self, asked: SetVariableArguments) -> Json:
        """Set a variable of a scope or of another variable."""
        client, session = self._client, self._client.session
        container = client.references.values.get(asked.variables_reference)
        found = container.children.get(asked.name)
        if found is None:
            raise BadRequest(f"there is no variable {asked.name!r} in it that you were told of")
        with changing_values(client):
            change = await table.SET_VALUE(session.values.changes, found, asked.value)
            session.publish(ValuesChanged(), ORIGIN)
        return _set(self.describe(container.frame_id, change.after))

    async def set_expression(self, asked: SetExpressionArguments) -> Json:
        """Assign to an expression."""
        client, member = self._client, self._client.member
        left = asked.expression.strip()
        if not _PATTERN.fullmatch(left):
            raise BadRequest(f"{left!r} is nothing that can be assigned to")
        if not asked.value.strip():
            raise BadRequest("an expression, please")
        index, thread_id, frame_id = await frame_of(client, asked.frame_id)
        with changing_values(client):
            for text, context in (
                (f"{left} = ({asked.value})", EvaluationContext.REPL),
                (left, EvaluationContext.WATCH),
            ):
                found = await table.EVALUATE(
                    member, text, frame_index=index, thread_id=thread_id, context=context
                )
        return _set(self.describe(frame_id, found))


def _set(body: Json) -> Json:
    """Return the fields of a response to an assignment."""
    fields = ("value", "type", "variablesReference", "namedVariables", "indexedVariables")
    return {name: body[name] for name in fields if name in body}


async def frame_of(client: DapClient, number: int | None) -> tuple[int, int | None, int]:
    """Return index, thread and session id of a client's frame, or of the top frame."""
    if number is not None:
        known = client.references.frames.get(number)
        return known.frame.index, known.thread_id, known.frame.id
    return 0, None, (await client.member.control.frame()).id


def _of_part(
    requests: ValueRequests, container: Container, part: ChildKind
) -> tuple[Variable, ...]:
    page = container.page or ()
    if part is ChildKind.ALL:
        return page
    values = requests._client.session.values
    wants_indexed = part is ChildKind.INDEXED
    try:
        return tuple(each for each in page if is_indexed(values, each) is wants_indexed)
    except DebuggerError:
        return page


LIMIT = 3600.0
"""Maximum seconds of an evaluation; the client can cancel it."""

_QUICK = 30.0
"""Maximum seconds of an evaluation that the user did not type."""

_CONTEXTS = {
    "repl": EvaluationContext.REPL,
    "hover": EvaluationContext.HOVER,
    "watch": EvaluationContext.WATCH,
    "variables": EvaluationContext.WATCH,
    "clipboard": EvaluationContext.WATCH,
}


class Evaluating:
    """Evaluation and completion for one client."""

    def __init__(self, client: DapClient, values: ValueRequests) -> None:
        self._client = client
        self._values = values

    async def evaluate(self, asked: EvaluateArguments) -> Json:
        """Evaluate an expression; in the context ``repl`` also run statements."""
        client, member = self._client, self._client.member
        member.control.must_stand("evaluate")
        if (place := client.references.recorded) is not None:
            frame_id, found = await evaluate_recorded(
                client, place, asked.expression, asked.frame_id
            )
            return self._result(asked.expression, frame_id, found)
        context = _CONTEXTS.get(asked.context or "watch", EvaluationContext.WATCH)
        index, thread_id, frame_id = await frame_of(client, asked.frame_id)
        is_typed = context is EvaluationContext.REPL
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
            body["variablesReference"] = 0  # the children of a secret are hidden, too
        body.pop("evaluateName", None)
        return body

    async def _whole(self, expression: str, frame_id: int) -> str:
        """Return the whole value as text, however long."""
        session = self._client.session
        if not session.adapter.capabilities.supports_clipboard_context:
            found = await session.inspection.evaluate(expression, frame_id, "watch")
        else:
            found = await session.inspection.evaluate(expression, frame_id, "clipboard")
        return found.value

    async def complete(self, asked: CompletionsArguments) -> Json:
        """Return the completions at the cursor."""
        client, session = self._client, self._client.session
        if not session.adapter.capabilities.supports_completions_request:
            raise UnsupportedByAdapter("this debug adapter completes nothing")
        client.member.control.must_stand("complete")
        if client.references.recorded is not None:
            return {"targets": []}  # the live program's names would be wrong at a recorded moment
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
    """Count the UTF-16 code units of a text, as DAP does."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _index_of(line: str, units: int) -> int:
    """Convert a number of UTF-16 units to an index in the line, at most its length."""
    before = line.encode("utf-16-le", "surrogatepass")[: 2 * max(0, units)]
    return len(before.decode("utf-16-le", "ignore"))


class NativeRequests:
    """Requests of one client about memory and machine code."""

    def __init__(self, client: DapClient) -> None:
        self._client = client

    async def read_memory(self, asked: ReadMemoryArguments) -> Json:
        """Read bytes up to the first unreadable one."""
        address = _address(asked.memory_reference) + asked.offset
        if asked.count <= 0:
            return {"address": hex(address), "data": ""}
        memory = NativeViews.of(self._client.session).memory
        block = await table.READ_MEMORY(memory, address, min(asked.count, LARGEST_READ))
        data = block.data
        body: Json = {"address": hex(address)}
        if len(data) < block.size:
            body["unreadableBytes"] = block.size - len(data)
        return body | {"data": view_raw(base64.b64encode(data).decode())}

    async def write_memory(self, asked: WriteMemoryArguments) -> Json:
        """Write all bytes, or fail."""
        client = self._client
        try:
            data = base64.b64decode(asked.data, validate=True)
        except binascii.Error:
            raise BadRequest("the data is no base64") from None
        address = _address(asked.memory_reference) + asked.offset
        with changing_values(client):
            memory = NativeViews.of(client.session).memory
            written = await table.WRITE_MEMORY(memory, address, data, origin=ORIGIN)
        return {"bytesWritten": len(written.after)}

    async def disassemble(self, asked: DisassembleArguments) -> Json:
        """Return as many instructions as requested; addresses without code are marked."""
        count = max(0, asked.instruction_count)
        if count > LARGEST_PAGE or abs(asked.instruction_offset) > LARGEST_PAGE:
            raise BadRequest(f"no more than {LARGEST_PAGE} instructions at once, please")
        address = _address(asked.memory_reference) + asked.offset
        before = max(0, -asked.instruction_offset)
        skipped = max(0, asked.instruction_offset)
        code = NativeViews.of(self._client.session).disassembly
        try:
            found = list(await table.DISASSEMBLE(code, address, before, count + skipped))
        except NoInstructions:
            found = []
        above = [each for each in found if each.address < address]
        missing, top = before - len(above), found[0].address if found else address
        told = [_nothing(top - missing + number) for number in range(missing)]
        told += [self._instruction(each) for each in found[skipped:]]
        below = found[-1].end if found else address
        told += [_nothing(below + number) for number in range(count - len(told))]
        return {"instructions": told[:count]}

    def _instruction(self, found: Instruction) -> Json:
        text = f"{found.text} ; {found.remark}" if found.remark else found.text
        body: Json = {"address": hex(found.address), "instruction": text}
        if found.data:
            body["instructionBytes"] = found.data.hex(" ")
        if found.symbol:
            body["symbol"] = found.symbol
        if found.place is not None:
            path = found.place.path
            named = {"name": path.rpartition("/")[2], "path": self._client.path_out(path)}
            body["location"] = named
            body["line"] = self._client.line_out(found.place.line)
        return body


def _nothing(address: int) -> Json:
    """Render an address without code; clients distinguish rows by address."""
    return {
        "address": hex(max(0, address)),
        "instruction": "(nothing)",
        "presentationHint": "invalid",
    }


def _address(reference: str) -> int:
    found = parse_reference(reference)
    if found is None:
        raise BadRequest(f"{reference!r} is no address")
    return found
