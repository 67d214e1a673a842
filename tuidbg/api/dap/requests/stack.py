"""Requests about threads, their stacks, and the sources that frames stand in."""

from __future__ import annotations

from typing import Any

from tuidbg.api.dap.arguments import (
    ModulesArguments,
    NoArguments,
    SourceArguments,
    StackTraceArguments,
)
from tuidbg.api.dap.client import Client
from tuidbg.api.dap.references import StackFrame
from tuidbg.api.dap.requests.past import recorded_stack
from tuidbg.api.operations import table
from tuidbg.api.operations.views import view_frame, view_source
from tuidbg.session.errors import StaleReply
from tuidbg.session.sources.modules import LoadedModule
from tuidbg.session.state import Frame, Place, Status

Json = dict[str, Any]

MOST_FRAMES = 1_000
"""Frames that are told at once."""

_RUNS = (Status.RUNNING, Status.PAUSED)


class StackRequests:
    """Answers what one client asks of threads and stacks."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._sources: dict[int, str] = {}

    async def threads(self, asked: NoArguments) -> Json:
        """The threads; none while there is no program."""
        member = self._client.member
        session = member.session
        if session.status not in _RUNS:
            return {"threads": []}
        known = session.threads
        if not known or session.threads_changed:
            known = (await table.LIST_THREADS(member)).threads
        return {"threads": [{"id": each.id, "name": each.name} for each in known]}

    async def stack_trace(self, asked: StackTraceArguments) -> Json:
        """Some frames of a thread of the stopped program."""
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
        key = (thread_id, frame.index, max(0, frame.id))  # recorded ones are numbered at each look
        number = client.references.frames.give(StackFrame(thread_id, frame), key)
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
        """The text of a source that is no file here."""
        session = self._client.session
        number, named = asked.source_reference, asked.source
        if named is not None and named.source_reference:
            number = named.source_reference
        path = (named.path if named is not None else "") or self._sources.get(number, "")
        text = await table.READ_SOURCE(session.inspection, number, path)
        return {"content": view_source(text)}

    async def modules(self, asked: ModulesArguments) -> Json:
        """The modules that the program has loaded."""
        found = await table.LIST_LOADED(self._client.session.modules)
        start = max(0, asked.start_module)
        end = start + asked.module_count if asked.module_count > 0 else len(found)
        return {"modules": [_module(each) for each in found[start:end]], "totalModules": len(found)}

    async def loaded_sources(self, asked: NoArguments) -> Json:
        """The sources of these modules."""
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
