"""Data breakpoints ("watchpoints"): the program stops when a value in its memory changes.

An address is looked up once and stays: the next list sent must not mean another variable of the
same name. A local lives as long as its function's frame; when that returns, the program stops, and
the breakpoint waits until it is set again or the program stops in the function again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.adapters.native import CannotWatch, DataPlace, NativeQuestions
from tuidbg.dap.types import BreakpointsBody, DataBreakpointInfoBody
from tuidbg.session.core.breakpoints.store import NOT_SET, KnownBreakpoints, told
from tuidbg.session.model.errors import InvalidSetting
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    DataAccess,
    Frame,
)

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


_DEPTH = 16
"""Frames that are searched for the owner of a local."""

_STACK = 16 * 1024 * 1024
"""Bytes above the stack pointer that are assumed to be the stack."""

_RED_ZONE = 128
"""Bytes below the stack pointer that a leaf function may use."""

_NO_STOP = "waits until the program stops where {} is known"

_SHORT = 60


class _Watched(msgspec.Struct, frozen=True):
    """The location of a value; of a local also its function and return address."""

    place: DataPlace
    function: str = ""
    returns_to: int | None = None


def find_or_make(known: KnownBreakpoints, data: str, access: DataAccess, origin: str) -> Breakpoint:
    """Return the breakpoint that watches an expression, or a new one. Raises InvalidSetting."""
    if not data.strip():
        raise InvalidSetting("data", "name the variable to watch")
    found = known.registry.find_data(data.strip())
    found = found or known.make(BreakpointKind.DATA, origin, data=data.strip())
    return msgspec.structs.replace(found, access=access)


class DataBinding:
    """The data breakpoints of one session at its adapter."""

    def __init__(
        self,
        session: Session,
        known: KnownBreakpoints,
        on_sent: Callable[[], Awaitable[None]],
    ) -> None:
        """``on_sent`` is called when the functions of watched locals may have changed."""
        self._session = session
        self._known = known
        self._on_sent = on_sent
        self._watched: dict[int, _Watched] = {}
        self._functions: dict[int, str] = {}
        self._numbers: dict[int, int] = {}
        self.leave_ids: dict[int, int] = {}
        """The numbers of the watched locals by the adapter's ids of their function-exit
        breakpoints.
        """

    # Adapter events

    def numbers_of(self, adapter_ids: Sequence[int]) -> tuple[int, ...]:
        """Return our numbers of the adapter's data breakpoint ids, which count separately."""
        found = (self._numbers.get(adapter_id) for adapter_id in adapter_ids)
        return tuple(dict.fromkeys(number for number in found if number is not None))

    def take_left(self, adapter_ids: Sequence[int]) -> str:
        """Return that the function of a watched local has returned, as a sentence; else empty.

        Its breakpoint waits from now on.
        """
        left = {n for i in adapter_ids if (n := self.leave_ids.get(i)) is not None}
        sentences = []
        for number in sorted(left):
            found, watched = self._known.registry.look_up(number), self._watched.pop(number, None)
            if found is None or watched is None:
                continue
            sentences.append(f"{found.data} is gone: {watched.function} has returned")
            waits = told(found, BreakpointStatus.PENDING, f"waits for {watched.function}")
            self._known.publish(waits, origin="program")
        if left:
            self._session.spawn(self.send())
        return "; ".join(sentences)

    async def describe_change(self, adapter_ids: Sequence[int]) -> str:
        """Describe the change, with old and new value, for its stop."""
        native = self._session.profile.native
        if native is None:
            return ""
        for adapter_id in adapter_ids:
            found = self._known.registry.look_up(self._numbers.get(adapter_id, 0))
            if found is None:
                continue
            try:
                change = await native.read_change(self._session.adapter.request, adapter_id)
            except AdapterError:
                return ""
            if change is None or change.old == change.new:
                value = f": {_short(change.new)}" if change is not None else ""
                return f"{found.data} was accessed{value}"
            return f"{found.data} changed: {_short(change.old) or '?'} -> {_short(change.new)}"
        return ""

    def look_again(self, frames: Sequence[Frame]) -> None:
        """Retry, at a stop in a function, the locals of it that are waited for."""
        if not self._functions or not frames or self._session.profile.native is None:
            return
        waiting = {
            number
            for number, function in self._functions.items()
            if function == frames[0].name and number not in self._watched
        }
        if any((b := self._known.registry.look_up(n)) is not None and b.enabled for n in waiting):
            self._session.spawn(self.send(retry=waiting))

    def ask_again(self, number: int) -> None:
        """Look the value up again in the current frame, as the user sets it again."""
        self._watched.pop(number, None)
        self._functions.pop(number, None)

    def forget(self) -> None:
        """Forget the addresses, which mean nothing in the next program."""
        self._watched.clear()
        self._numbers.clear()
        self.leave_ids.clear()

    # Sending

    @property
    def leaving(self) -> list[tuple[int, dict[str, Any]]]:
        """Return the return addresses for watched locals, by number: the program stops there."""
        return [
            (number, _leave(watched, watched.returns_to))
            for number, watched in self._watched.items()
            if watched.returns_to is not None
        ]

    async def send(self, retry: set[int] | None = None) -> None:
        """Send all data breakpoints; the locals of ``retry`` exist again."""
        session = self._session
        found = self._known.registry.of_kind(BreakpointKind.DATA)
        if not session.adapter.is_configurable:
            return
        if not session.adapter.capabilities.supports_data_breakpoints:
            self._refuse(found, "this debug adapter can't watch values for changes")
            return
        numbers = {b.number for b in found}
        for gone in self._watched.keys() - numbers:
            del self._watched[gone]
        wanted, sent = [], []
        for each in found:
            if not self._known.is_wanted(each):
                continue
            data_id = await self._find(each, retry or set())
            if data_id is not None:
                wanted.append(each)
                sent.append(self._as_sent(each, data_id))
        # LLDB sets the last of a list first: if there are too many, the oldest take precedence.
        await self._put(wanted[::-1], sent[::-1])
        await self._on_sent()

    def _as_sent(self, found: Breakpoint, data_id: str) -> dict[str, Any]:
        sent: dict[str, Any] = {"dataId": data_id, "accessType": found.access.value}
        if found.condition and self._session.adapter.capabilities.supports_conditional_breakpoints:
            sent["condition"] = found.condition
        return sent

    async def _find(self, found: Breakpoint, retry: set[int]) -> str | None:
        """Return the adapter's name of the value; None if it was refused or waits."""
        native = self._session.profile.native
        if native is None:
            return await self._find_by_dap(found)
        watched = self._watched.get(found.number)
        if watched is None:
            watched = await self._locate(native, found, retry)
        if watched is None:
            return None
        self._watched[found.number] = watched
        return f"{watched.place.address:X}/{watched.place.size}"

    async def _locate(
        self, native: NativeQuestions, found: Breakpoint, retry: set[int]
    ) -> _Watched | None:
        """Locate the value: a global, or in the frame where the program is stopped."""
        session = self._session
        function = self._functions.get(found.number, "")
        if function and found.number not in retry:
            self._wait(found, f"waits for {function}")
            return None
        frames = session.frames if session.stop is not None else ()
        frame = frames[0] if frames else None
        try:
            place = await native.find_data(
                session.adapter.request, found.data, frame.id if frame is not None else None
            )
            if frame is None:
                return _Watched(place)
            watched = await self._in_frame(native, place, frames)
        except CannotWatch as error:
            if frame is None:
                self._wait(found, _NO_STOP.format(found.data))
            else:
                self._refuse([found], str(error))
            return None
        except AdapterError as error:
            self._refuse([found], str(error))
            return None
        if watched.function:
            self._functions[found.number] = watched.function
        return watched

    async def _in_frame(
        self, native: NativeQuestions, place: DataPlace, frames: tuple[Frame, ...]
    ) -> _Watched:
        """Return it with the frame it belongs to, if it is on the stack."""
        for above, frame in zip((None, *frames), frames[:_DEPTH], strict=False):
            pointer = await native.read_stack_pointer(self._session.adapter.request, frame.id)
            if pointer is None:
                break
            if above is None and not -_RED_ZONE <= place.address - pointer < _STACK:
                break
            if above is not None and pointer > place.address:
                return _Watched(place, above.name, frame.address)
        return _Watched(place)

    async def _find_by_dap(self, found: Breakpoint) -> str | None:
        arguments: dict[str, Any] = {"name": found.data}
        if self._session.frames:
            arguments["frameId"] = self._session.frames[0].id
        try:
            info = await self._session.adapter.request(
                "dataBreakpointInfo", arguments, into=DataBreakpointInfoBody
            )
        except AdapterError as error:
            self._refuse([found], str(error))
            return None
        if info.data_id is None:
            self._refuse([found], info.description or "this can't be watched")
        return info.data_id

    async def _put(self, wanted: list[Breakpoint], sent: list[dict[str, Any]]) -> None:
        session, native = self._session, self._session.profile.native
        try:
            answer = await session.adapter.request(
                "setDataBreakpoints", {"breakpoints": sent}, into=BreakpointsBody
            )
        except AdapterError as error:
            self._refuse(wanted, str(error))
            return
        self._numbers.clear()
        for index, asked in enumerate(wanted):
            reported = answer.breakpoints[index] if index < len(answer.breakpoints) else None
            if reported is None or not reported.verified:
                why = reported.message if reported is not None else ""
                why = native.data_limit if native is not None else why
                self._watched.pop(asked.number, None)
                self._refuse([asked], why or NOT_SET)
                continue
            if reported.id is not None:
                self._numbers[reported.id] = asked.number
            self._tell(asked, BreakpointStatus.SET, "")

    def _wait(self, found: Breakpoint, message: str) -> None:
        self._tell(found, BreakpointStatus.PENDING, message)

    def _refuse(self, wanted: list[Breakpoint], why: str) -> None:
        for each in wanted:
            self._tell(each, BreakpointStatus.REFUSED, why)

    def _tell(self, asked: Breakpoint, status: BreakpointStatus, message: str) -> None:
        current = self._known.registry.look_up(asked.number)
        if current is None:
            return  # deleted meanwhile
        now = told(current, status, message)
        if now != current:
            self._known.publish(now, origin="adapter")


def _leave(watched: _Watched, returns_to: int) -> dict[str, Any]:
    """Return the breakpoint at the function's exit; a recursive call has a lower stack pointer."""
    condition = f"(unsigned long)$sp > {watched.place.address:#x}"
    return {"instructionReference": hex(returns_to), "condition": condition}


def _short(value: str) -> str:
    return value if len(value) <= _SHORT else value[: _SHORT - 1] + "…"
