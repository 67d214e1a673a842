"""Breakpoints on functions, instructions and data, where the adapter can (R000-03, 04, 17)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.dap.types import Breakpoint as AdapterBreakpoint
from tuidbg.dap.types import BreakpointsBody, DataBreakpointInfoBody
from tuidbg.session.registry import BreakpointRegistry
from tuidbg.session.state import Breakpoint, BreakpointKind, BreakpointStatus, Place

if TYPE_CHECKING:
    from tuidbg.session.binding import Publish
    from tuidbg.session.session import Session


async def send_functions(session: Session, registry: BreakpointRegistry, publish: Publish) -> None:
    """Send all function breakpoints, and that of the entry (DAP ``setFunctionBreakpoints``)."""
    found = registry.of_kind(BreakpointKind.FUNCTION)
    if not session.is_configurable:
        return
    binding = session.breakpoints.binding
    if not session.capabilities.supports_function_breakpoints:
        binding.entry = ""
        _refuse(found, "this debug adapter can't stop at functions", publish)
        return
    wanted = [b for b in found if b.enabled and not session.breakpoints.muted]
    sent = [_with_condition(session, {"name": b.function}, b) for b in wanted]
    if binding.entry:
        sent.append({"name": binding.entry})
    answer = await _send(session, "setFunctionBreakpoints", wanted, sent, publish)
    if binding.entry:
        last = answer.breakpoints[-1:]
        if not last or not last[0].verified:
            binding.entry = ""
        binding.temporary_ids.update(b.id for b in last if b.id is not None)


async def send_addresses(session: Session, registry: BreakpointRegistry, publish: Publish) -> None:
    """Send all instruction breakpoints (DAP ``setInstructionBreakpoints``)."""
    found = registry.of_kind(BreakpointKind.ADDRESS)
    if not session.is_configurable:
        return
    if not session.capabilities.supports_instruction_breakpoints:
        _refuse(found, "this debug adapter can't stop at addresses", publish)
        return
    wanted = [b for b in found if b.enabled and not session.breakpoints.muted]
    sent = [
        _with_condition(session, {"instructionReference": hex(b.address or 0)}, b) for b in wanted
    ]
    await _send(session, "setInstructionBreakpoints", wanted, sent, publish)


async def send_data(session: Session, registry: BreakpointRegistry, publish: Publish) -> None:
    """Send all data breakpoints (DAP ``dataBreakpointInfo`` and ``setDataBreakpoints``)."""
    found = registry.of_kind(BreakpointKind.DATA)
    if not session.is_configurable:
        return
    if not session.capabilities.supports_data_breakpoints:
        _refuse(found, "this debug adapter can't watch values for changes", publish)
        return
    wanted, sent = [], []
    for each in found:
        if not each.enabled or session.breakpoints.muted:
            continue
        frame = session.frames[0].id if session.frames else None
        arguments: dict[str, Any] = {"name": each.data}
        if frame is not None:
            arguments["frameId"] = frame
        try:
            info = await session.request(
                "dataBreakpointInfo", arguments, into=DataBreakpointInfoBody
            )
        except AdapterError as error:
            _refuse([each], str(error), publish)
            continue
        if info.data_id is None:
            _refuse([each], info.description or "this can't be watched", publish)
            continue
        wanted.append(each)
        sent.append(_with_condition(session, {"dataId": info.data_id}, each))
    await _send(session, "setDataBreakpoints", wanted, sent, publish)


def _with_condition(session: Session, sent: dict[str, Any], b: Breakpoint) -> dict[str, Any]:
    if b.condition and session.capabilities.supports_conditional_breakpoints:
        sent["condition"] = b.condition
    return sent


async def _send(
    session: Session,
    command: str,
    wanted: list[Breakpoint],
    sent: list[dict[str, Any]],
    publish: Publish,
) -> BreakpointsBody:
    try:
        answer = await session.request(command, {"breakpoints": sent}, into=BreakpointsBody)
    except AdapterError as error:
        _refuse(wanted, str(error), publish)
        return BreakpointsBody()
    for index, asked in enumerate(wanted):
        reported = answer.breakpoints[index] if index < len(answer.breakpoints) else None
        if reported is not None and reported.id is not None:
            session.breakpoints.binding.numbers[reported.id] = (asked.number,)
        _merge(asked, reported, publish)
    return answer


def _merge(asked: Breakpoint, reported: AdapterBreakpoint | None, publish: Publish) -> None:
    if reported is None:
        _refuse([asked], "the debug adapter gave no answer for it", publish)
    elif not reported.verified:
        _refuse([asked], reported.message or "the debug adapter could not set it", publish)
    else:
        set_now = msgspec.structs.replace(
            asked, status=BreakpointStatus.SET, message="", suggested_line=None
        )
        if reported.source is not None and reported.source.path and reported.line:
            place = Place(reported.source.path, reported.line, reported.column or 1)
            set_now = msgspec.structs.replace(
                set_now, places=(place,), path=place.path, line=place.line
            )
        if set_now != asked:
            publish(set_now, origin="adapter")


def _refuse(wanted: list[Breakpoint], why: str, publish: Publish) -> None:
    for each in wanted:
        told = msgspec.structs.replace(each, status=BreakpointStatus.REFUSED, message=why)
        if told != each:
            publish(told, origin="adapter")
