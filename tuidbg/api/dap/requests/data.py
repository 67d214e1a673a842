"""Requests to stop when a value changes.

Native code has data breakpoints. In Python the value is looked at along the lines of a function
(``session.changes``); what is seen there and what is not, is told with it.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import Any

from tuidbg.api.dap.arguments import (
    DataBreakpoint,
    DataBreakpointInfoArguments,
    SetDataBreakpointsArguments,
)
from tuidbg.api.dap.client import ORIGIN, Client
from tuidbg.api.dap.refusals import BadRequest
from tuidbg.api.dap.requests.lists import Entry, replace_list
from tuidbg.api.dap.requests.values import frame_of
from tuidbg.api.dap.telling.breakpoints import Asked
from tuidbg.api.operations import table
from tuidbg.session.breakpoints.kinds.data import find_or_make
from tuidbg.session.errors import DebuggerError, InvalidSetting, UnsupportedByAdapter
from tuidbg.session.state import Breakpoint, BreakpointKind, DataAccess

Json = dict[str, Any]

_ACCESSES = {
    "read": DataAccess.READ,
    "write": DataAccess.WRITE,
    "readWrite": DataAccess.READ_WRITE,
}


class DataBreakpoints:
    """The values that one client watches."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._watched: set[str] = set()

    async def info(self, asked: DataBreakpointInfoArguments) -> Json:
        """Tells whether a variable or an expression can be watched."""
        client, session = self._client, self._client.session
        expression = asked.name
        if asked.variables_reference:
            container = client.references.values.get(asked.variables_reference)
            found = container.children.get(asked.name)
            if found is not None:
                expression = found.evaluate_name or found.name
        try:
            session.changes.check(expression)
        except (InvalidSetting, UnsupportedByAdapter) as error:
            return {"dataId": None, "description": str(error)}
        is_native = session.adapter.capabilities.supports_data_breakpoints
        accesses = list(_ACCESSES) if is_native else ["write"]
        return {
            "dataId": expression,
            "description": expression,
            "accessTypes": accesses,
            "canPersist": False,
        }

    async def set(self, asked: SetDataBreakpointsArguments) -> Json:
        """Replace the list of watched values."""
        session = self._client.session
        if session.adapter.capabilities.supports_data_breakpoints:
            return await self._set_native(asked.breakpoints)
        watched = {each.data_id for each in asked.breakpoints}
        for expression in self._watched - watched:
            await session.changes.ignore(expression)
        self._watched &= watched
        return {"breakpoints": [await self._watch(each) for each in asked.breakpoints]}

    async def _watch(self, each: DataBreakpoint) -> Json:
        client, session = self._client, self._client.session
        if each.condition or each.hit_condition:
            return _refused("a value that is watched takes no condition here")
        if session.changes.find(each.data_id) is None:
            _, _, frame_id = await frame_of(client, None)
            try:
                await table.WATCH_CHANGES(session.changes, each.data_id, frame_id, origin=ORIGIN)
            except DebuggerError as error:
                return _refused(str(error))
        self._watched.add(each.data_id)
        return {"verified": True}

    async def _set_native(self, listed: list[DataBreakpoint]) -> Json:
        client, session = self._client, self._client.session
        known = session.breakpoints.known
        entries = []
        for each in listed:
            if not each.data_id:
                raise BadRequest("a data breakpoint has no dataId")
            access = _ACCESSES[each.access_type or "write"]
            settings = Asked(
                condition=each.condition or "",
                hit_condition=each.hit_condition or "",
                access=access,
            )
            make = partial(find_or_make, known, each.data_id, access, ORIGIN)
            entries.append(Entry(each.data_id, settings, make))
        of_kind = session.breakpoints.registry.of_kind(BreakpointKind.DATA)
        existing: dict[Hashable, Breakpoint] = {found.data: found for found in of_kind}
        language = session.profile.language
        return {"breakpoints": await replace_list(client, entries, existing, language)}


def _refused(why: str) -> Json:
    return {"verified": False, "message": why}
