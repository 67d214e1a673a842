"""The memory of the program: reading, writing, and search by expression.

Unreadable bytes are reported as such and not invented; a write can be undone until the program is
resumed. Only for adapters that support it (DAP ``readMemory``, ``writeMemory``).
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING

from tuidbg.adapters.errors import RequestFailed
from tuidbg.dap import types as dap
from tuidbg.dap.types import parse_reference
from tuidbg.session.model.errors import (
    AdapterFailed,
    DebuggerError,
    EvaluationFailed,
    MemoryNotWritable,
    NoAddress,
    UnsupportedByAdapter,
)
from tuidbg.session.model.events import MemoryChanged
from tuidbg.session.model.state import StateValue, Variable

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


LARGEST_READ = 1 << 20
"""Maximum bytes per read."""

END = 1 << 64
"""Addresses are below this."""

_LOOKS_KEPT = 200
"""Blocks remembered of one stop."""

_AT_ONCE = 1 << 16
_PAGE = 4096
"""Unreadable memory comes in pages of this size, or of a multiple."""

_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)$")
_PLACE = re.compile(r"[^\W\d](?:\w|\.|->|::|\[\w+\])*")
"""Expressions without side effects: names, and their members."""

_POINTER = re.compile(r"(0[xX][0-9a-fA-F]{1,16})\b")


class MemoryRun(StateValue, frozen=True):
    """Consecutive readable bytes."""

    address: int
    data: bytes


class MemoryBlock(StateValue, frozen=True):
    """``size`` bytes from ``address`` on; the readable ones are the ``runs``."""

    address: int
    size: int
    runs: tuple[MemoryRun, ...] = ()
    problem: str = ""
    """The adapter's error for the unreadable ones, if any."""

    def at(self, address: int) -> int | None:
        """Return the byte at an address; None if it could not be read."""
        for run in self.runs:
            if run.address <= address < run.address + len(run.data):
                return run.data[address - run.address]
        return None

    @property
    def data(self) -> bytes:
        """Return the bytes from ``address`` on up to the first one that could not be read."""
        first = self.runs[0] if self.runs else None
        return first.data if first is not None and first.address == self.address else b""

    @property
    def unreadable(self) -> int:
        """Return the number of unreadable bytes."""
        return self.size - sum(len(run.data) for run in self.runs)


class Written(StateValue, frozen=True):
    """Written bytes, and those they replaced."""

    address: int
    before: bytes
    after: bytes


class Memory:
    """Queries about the memory of a session's program."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._done: list[Written] = []
        self._stop = 0

    def why_not(self) -> str:
        """Return why memory can't be read here; empty if it can."""
        adapter = self._session.adapter
        if not adapter.has_begun or adapter.capabilities.supports_read_memory_request:
            return ""
        return f"{self._session.profile.name} does not show the program's memory"

    def why_no_writing(self) -> str:
        """Return why memory can't be written here; empty if it can."""
        if self._session.adapter.capabilities.supports_write_memory_request:
            return ""
        return f"{self._session.profile.name} does not write to the program's memory"

    # Reading

    async def read(self, address: int, size: int) -> MemoryBlock:
        """Read the bytes there, as far as they are readable; at most LARGEST_READ.

        Raises UnsupportedByAdapter, InvalidSessionState, AdapterFailed, StaleReply, NoAddress.
        """
        if why := self.why_not():
            raise UnsupportedByAdapter(why)
        _check(address, size)
        end = min(address + size, END)
        runs: list[MemoryRun] = []
        position, problem = address, ""
        while position < end:
            wanted = min(end - position, _AT_ONCE)
            try:
                data = await self._read_once(position, wanted)
            except AdapterFailed as error:
                if not isinstance(error.__cause__, RequestFailed):
                    raise
                data, problem = b"", error.__cause__.reason
            if data:
                runs.append(MemoryRun(address=position, data=data))
            position += len(data)
            if len(data) < wanted:
                position = (position // _PAGE + 1) * _PAGE
        return MemoryBlock(address=address, size=end - address, runs=_joined(runs), problem=problem)

    async def _read_once(self, address: int, count: int) -> bytes:
        arguments = {"memoryReference": hex(address), "offset": 0, "count": count}
        body = await self._session.inspection.ask("readMemory", arguments, dap.ReadMemoryBody)
        try:
            return base64.b64decode(body.data or "")[:count]
        except binascii.Error:
            raise AdapterFailed("the debug adapter's answer is no memory") from None

    # Writing

    async def write(self, address: int, data: bytes, *, origin: str) -> Written:
        """Write bytes there; all of them, or it is refused.

        Raises MemoryNotWritable with the reason, UnsupportedByAdapter, InvalidSessionState,
        AdapterFailed, StaleReply, NoAddress.
        """
        if why := self.why_not() or self.why_no_writing():
            raise UnsupportedByAdapter(why)
        if not data:
            raise MemoryNotWritable(address, "there is nothing to write")
        before = await self.read(address, len(data))
        if before.unreadable:
            raise MemoryNotWritable(address, "it can't even be read")
        await self._write_once(address, data)
        written = Written(address=address, before=before.data, after=data)
        self._forget_old()
        self._done.append(written)
        self._session.publish(MemoryChanged(address=address, size=len(data)), origin)
        return written

    async def _write_once(self, address: int, data: bytes) -> None:
        arguments = {
            "memoryReference": hex(address),
            "offset": 0,
            "data": base64.b64encode(data).decode(),
        }
        try:
            body = await self._session.inspection.ask("writeMemory", arguments, dap.WriteMemoryBody)
        except AdapterFailed as error:
            if not isinstance(error.__cause__, RequestFailed):
                raise
            raise MemoryNotWritable(address, error.__cause__.reason) from error
        if body.bytes_written is not None and body.bytes_written < len(data):
            raise MemoryNotWritable(address + body.bytes_written, "the debug adapter stopped there")

    async def rewrite(self, address: int) -> None:
        """Write the byte there that is there already. Raises as ``write``."""
        if data := (await self.read(address, 1)).data:
            await self._write_once(address, data)

    async def undo(self, *, origin: str) -> Written | None:
        """Restore the bytes from before the last ``write``; None: nothing to do.

        Raises as ``write``.
        """
        self._forget_old()
        if not self._done:
            return None
        done = self._done[-1]
        await self._write_once(done.address, done.before)
        self._done.pop()
        self._session.publish(MemoryChanged(address=done.address, size=len(done.before)), origin)
        return Written(address=done.address, before=done.after, after=done.before)

    def _forget_old(self) -> None:
        if self._stop != self._session.stop_id:
            self._stop = self._session.stop_id
            self._done.clear()

    async def search(self, start: int, pattern: bytes, limit: int = 1 << 24) -> int | None:
        """Find the bytes from ``start`` on; None: not in ``limit`` readable bytes.

        It ends at unreadable memory. Raises as ``read``.
        """
        position, left = start, limit
        while left > 0 and position < END:
            wanted = min(_AT_ONCE, left)
            data = (await self.read(position, wanted + len(pattern) - 1)).data
            at = data.find(pattern)
            if at >= 0:
                return position + at
            if len(data) < wanted:
                return None
            position, left = position + wanted, left - wanted
        return None

    async def search_back(self, before: int, pattern: bytes, limit: int = 1 << 24) -> int | None:
        """Return the last address of the bytes before one; None: not in ``limit`` readable bytes.

        It ends at unreadable memory. Raises as ``read``.
        """
        end, left, step = before, limit, _AT_ONCE
        while left > 0 and end > 0:
            start = max(0, end - min(step, left))
            wanted = end - start + len(pattern) - 1
            data = (await self.read(start, wanted)).data
            if len(data) < end - start:  # it begins at unreadable memory
                step = (end - start) // 2
                if not step:
                    return None
                continue
            at = data.rfind(pattern)
            if at >= 0:
                return start + at
            end, left = start, left - (end - start)
        return None

    # Addresses

    async def find(self, text: str, frame_id: int | None = None) -> int:
        """Return the address denoted by a text: a number, else an expression of the program's.

        A pointer denotes its target, any other value in memory its own location. Raises NoAddress,
        EvaluationFailed, InvalidSessionState, AdapterFailed, StaleReply.
        """
        text = text.strip()
        if _NUMBER.match(text):
            return _check(int(text, 0 if text[:2].lower() == "0x" else 10))
        if not text:
            raise NoAddress("an address or an expression, please")
        result = await self._session.inspection.evaluate(text, frame_id, "watch")
        reference = result.memory_reference or await self._reference(text, frame_id)
        return _address_in(text, result.value, result.type, reference)

    async def address_of(self, variable: Variable, frame_id: int | None = None) -> int:
        """Return the address of a frame's variable, as in ``find``. Raises as ``find``."""
        reference = variable.memory_reference
        if not reference and variable.evaluate_name:
            reference = await self._reference(variable.evaluate_name, frame_id)
        return _address_in(variable.name, variable.value, variable.type, reference)

    async def _reference(self, text: str, frame_id: int | None) -> str:
        """Return the address of a value, for adapters that don't report it; else empty."""
        asked = self._session.profile.values.address_expression
        if not asked or not _PLACE.fullmatch(text):
            return ""
        try:
            told = await self._session.inspection.evaluate(asked.format(text), frame_id, "watch")
        except (EvaluationFailed, AdapterFailed):
            return ""
        found = _POINTER.match(told.value.lstrip("(*& "))
        return found[1] if found is not None else ""


class SeenMemory:
    """The bytes that changed since the previous stop, of those read there."""

    def __init__(self) -> None:
        self._stop = -1
        self._before: dict[int, MemoryBlock] = {}
        self._now: dict[int, MemoryBlock] = {}

    def note(self, block: MemoryBlock, stop_id: int) -> frozenset[int]:
        """Record the bytes read at a stop; return the addresses of those changed since."""
        if stop_id != self._stop:
            self._before, self._now, self._stop = self._now, {}, stop_id
        if len(self._now) < _LOOKS_KEPT:
            self._now[block.address] = block
        changed = frozenset[int]()
        for before in self._before.values():
            changed |= changed_addresses(before, block)
        return changed


def changed_addresses(before: MemoryBlock, now: MemoryBlock) -> frozenset[int]:
    """Return the addresses of bytes that differ; both must have been read."""
    changed = set[int]()
    for run in now.runs:
        for old in before.runs:
            first = max(run.address, old.address)
            last = min(run.address + len(run.data), old.address + len(old.data))
            for address in range(first, last):
                if run.data[address - run.address] != old.data[address - old.address]:
                    changed.add(address)
    return frozenset(changed)


def read_pattern(text: str) -> bytes:
    """Parse a search pattern: ``7f 45 4c``, or a text, optionally in quotation marks.

    Raises DebuggerError if it is empty.
    """
    text = text.strip()
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    try:
        found = text[1:-1].encode() if is_quoted else bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        found = text.encode()
    if not found:
        raise DebuggerError("some bytes or a text, please")
    return found


def _address_in(what: str, value: str, type_name: str, reference: str) -> int:
    """Return a value's address: that of pointers and registers is in the text."""
    pointer = _POINTER.match(value.lstrip("(*& "))
    if pointer is not None and (not reference or type_name.rstrip(" const").endswith(("*", "&"))):
        return int(pointer[1], 16)
    if reference and (place := parse_reference(reference)) is not None:
        return place
    if pointer is not None:
        return int(pointer[1], 16)
    if value.isdecimal():
        return _check(int(value))
    raise NoAddress(f"{what} has no address in memory")


def _check(address: int, size: int = 1) -> int:
    if not 0 <= address < END:
        raise NoAddress(f"{address:#x} is no address: it has more than 64 bits")
    if not 0 < size <= LARGEST_READ:
        raise DebuggerError(f"from 1 to {LARGEST_READ} bytes of memory can be read at a time")
    return address


def _joined(runs: list[MemoryRun]) -> tuple[MemoryRun, ...]:
    joined: list[MemoryRun] = []
    for run in runs:
        last = joined[-1] if joined else None
        if last is not None and last.address + len(last.data) == run.address:
            joined[-1] = MemoryRun(address=last.address, data=last.data + run.data)
        else:
            joined.append(run)
    return tuple(joined)
