"""Breakpoints on functions and instructions, where the adapter can (R000-03, 04, 17)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.dap.types import Breakpoint as AdapterBreakpoint
from tuidbg.dap.types import BreakpointsBody
from tuidbg.session.breakpoints.registry import BreakpointRegistry
from tuidbg.session.stack.inspection import parse_reference
from tuidbg.session.state import Breakpoint, BreakpointKind, BreakpointStatus, Place

if TYPE_CHECKING:
    from tuidbg.session.breakpoints.binding import Publish
    from tuidbg.session.session import Session


async def send_functions(session: Session, registry: BreakpointRegistry, publish: Publish) -> None:
    """Send all function breakpoints, and that of the entry (DAP ``setFunctionBreakpoints``)."""
    found = registry.of_kind(BreakpointKind.FUNCTION)
    if not session.is_configurable:
        return
    binding = session.breakpoints.binding
    if not session.capabilities.supports_function_breakpoints:
        binding.entry = ()
        _refuse(found, "this debug adapter can't stop at functions", publish)
        return
    wanted = [b for b in found if b.enabled and not session.breakpoints.muted]
    sent = [_with_condition(session, {"name": b.function}, b) for b in wanted]
    sent += [{"name": name} for name in binding.entry]
    answer = await _send(session, "setFunctionBreakpoints", wanted, sent, publish)
    if binding.entry:
        last = answer.breakpoints[len(wanted) :]
        stands = session.profile.stands_already
        if not any(b.verified or stands(b.message or "") for b in last):
            binding.entry = ()
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
    if session.profile.native is None:
        await _send(session, "setInstructionBreakpoints", wanted, sent, publish)
        return
    data = session.breakpoints.binding.data
    leaving = data.leaving
    sent += [left for _, left in leaving]
    answer = await _send(session, "setInstructionBreakpoints", wanted, sent, publish)
    told = zip(leaving, answer.breakpoints[len(wanted) :], strict=False)
    data.leave_ids = {b.id: number for (number, _), b in told if b.id is not None}


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
        await session.breakpoints.binding.take_back(command, command, {"breakpoints": sent})
        answer = await session.request(command, {"breakpoints": sent}, into=BreakpointsBody)
    except AdapterError as error:
        _refuse(wanted, str(error), publish)
        return BreakpointsBody()
    for index, asked in enumerate(wanted):
        reported = answer.breakpoints[index] if index < len(answer.breakpoints) else None
        if reported is not None and reported.id is not None:
            session.breakpoints.binding.numbers[reported.id] = (asked.number,)
        if reported is not None and reported.message:
            why = session.profile.explain_breakpoint(reported.message)
            reported = msgspec.structs.replace(reported, message=why)
        if session.profile.native is not None and reported is not None and not reported.verified:
            _merge_native(session, asked, reported, publish)
        else:
            _merge(asked, reported, publish)
    return answer


def _merge_native(
    session: Session, asked: Breakpoint, reported: AdapterBreakpoint, publish: Publish
) -> None:
    """What can't be set yet waits while the program has not stopped: its libraries come then."""
    if asked.kind is BreakpointKind.ADDRESS:
        why = f"there is no code at {asked.address or 0:#x}"
    else:
        why = f"there is no function {asked.function}"
    if session.stop is None:
        soon = f"{why} yet; a library may bring it"
        told = msgspec.structs.replace(asked, status=BreakpointStatus.PENDING, message=soon)
        if told != asked:
            publish(told, origin="adapter")
    else:
        _refuse([asked], reported.message or f"{why} in the program or its libraries", publish)


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
            place = Place(
                reported.source.path,
                reported.line,
                reported.column or 1,
                address=parse_reference(reported.instruction_reference),
            )
            if place not in asked.places:  # of several it is only one
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
