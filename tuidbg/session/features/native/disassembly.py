"""The disassembly of the program, page by page, with its source lines.

DAP's ``disassemble`` counts instructions backwards if it can: lldb-dap does that only within a
function. So the code before a function is found by decoding from a little further up, until that
arrives at the function's start.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.errors import RequestFailed
from tuidbg.config.files import read_text
from tuidbg.dap import types as dap
from tuidbg.dap.types import parse_reference
from tuidbg.session.model.errors import (
    AdapterFailed,
    NoInstructions,
    UnsupportedByAdapter,
)
from tuidbg.session.model.state import Frame, Place, StateValue

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


PAGE = 64
"""Default number of instructions fetched at once."""

LARGEST_PAGE = 1000

_STEP_BACK = 4
"""The approximate size of an instruction in bytes."""

_LONGEST = 16
"""The maximum size of one in bytes; after so many bytes decoding is in step."""


class Instruction(StateValue, frozen=True):
    """One instruction. ``symbol`` is the function that begins with it, ``place`` its source line.

    Adapters report a place only where it changes; here each has its own, if known. ``remark`` is
    the adapter's comment, such as the name of the called function.
    """

    address: int
    text: str
    data: bytes = b""
    symbol: str = ""
    place: Place | None = None
    remark: str = ""

    @property
    def end(self) -> int:
        """Return the address of the next one."""
        return self.address + max(1, len(self.data))


class DisassemblySourceLine(StateValue, frozen=True):
    """A line of the source, above the instructions compiled from it."""

    place: Place
    text: str


class FunctionLabel(StateValue, frozen=True):
    """The name of a function, above its first instruction."""

    name: str
    address: int


Row = Instruction | DisassemblySourceLine | FunctionLabel


class Disassembly:
    """Queries about the machine code of a session's program."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._texts: dict[str, tuple[str, ...]] = {}

    def why_not(self) -> str:
        """Return why machine code can't be shown here; empty if it can."""
        adapter = self._session.adapter
        if not adapter.has_begun or adapter.capabilities.supports_disassemble_request:
            return ""
        return f"{self._session.profile.name} does not show machine code"

    async def of_frame(
        self, frame: Frame, before: int = 0, count: int = PAGE
    ) -> tuple[Instruction, ...]:
        """Return the code around the frame's next instruction. Raises as ``around``."""
        if why := self.why_not():
            raise UnsupportedByAdapter(why)
        if frame.address is None:
            raise UnsupportedByAdapter(
                "the debug adapter does not report the address of this frame's code"
            )
        return await self.around(frame.address, before, count)

    async def around(
        self, address: int, before: int = 0, count: int = PAGE
    ) -> tuple[Instruction, ...]:
        """Return ``count`` instructions, ``before`` of them above ``address``, if they exist.

        Raises NoInstructions, UnsupportedByAdapter, InvalidSessionState, AdapterFailed, StaleReply.
        """
        below = await self._ask(address, 0, max(1, min(count - before, LARGEST_PAGE)))
        if not below:
            raise NoInstructions(address)
        above = await self.before(address, before) if before > 0 else ()
        return with_places((*above, *below))

    async def before(self, address: int, count: int = PAGE) -> tuple[Instruction, ...]:
        """Return the instructions just before ``address``; fewer at the beginning of the code.

        Raises UnsupportedByAdapter, InvalidSessionState, AdapterFailed, StaleReply.
        """
        found: tuple[Instruction, ...] = ()
        while len(found) < count:
            top = found[0].address if found else address
            more = await self._directly_before(top, count - len(found))
            if not more:
                break
            found = more + found
        return with_places(found[-count:])

    async def after(self, last: Instruction, count: int = PAGE) -> tuple[Instruction, ...]:
        """Return the instructions after one. Raises as ``before``."""
        try:
            found = await self._ask(last.end, 0, min(count, LARGEST_PAGE))
        except NoInstructions:
            return ()
        return with_places(found, last.place)

    async def _directly_before(self, address: int, count: int) -> tuple[Instruction, ...]:
        try:
            found = await self._ask(address, -count, count)
        except NoInstructions:
            found = ()
        found = unbroken_chain([i for i in found if i.address < address], address)
        return found or await self._by_decoding(address, count)

    async def _by_decoding(self, address: int, count: int) -> tuple[Instruction, ...]:
        """Decode from further up, and use the result if it arrives at ``address``."""
        span = max(2 * _LONGEST, count * _STEP_BACK)
        for shift in range(_LONGEST):
            start = address - span - shift
            if start < 0:
                return ()
            try:
                found = await self._ask(start, 0, span)
            except NoInstructions:
                if span <= 2 * _LONGEST:
                    return ()
                span = max(2 * _LONGEST, span // 4)  # the code begins somewhere in between
                continue
            if above := unbroken_chain([i for i in found if i.address < address], address):
                # The first ones may have been decoded from the middle of one.
                sure = [i for i in above if i.address >= start + _LONGEST] or above[-1:]
                return tuple(sure[-count:])
        return ()

    async def _ask(self, address: int, offset: int, count: int) -> tuple[Instruction, ...]:
        if why := self.why_not():
            raise UnsupportedByAdapter(why)
        arguments = {
            "memoryReference": hex(address),
            "instructionOffset": offset,
            "instructionCount": count,
            "resolveSymbols": True,
        }
        try:
            body = await self._session.inspection.ask("disassemble", arguments, dap.DisassembleBody)
        except AdapterFailed as error:
            if isinstance(error.__cause__, RequestFailed):
                raise NoInstructions(address, error.__cause__.reason) from error
            raise
        return tuple(_instructions(body.instructions))

    # Source lines

    def rows(self, instructions: Sequence[Instruction]) -> tuple[Row, ...]:
        """Return the instructions with the names of functions and the lines of source between them.

        A line is included where the code of another one begins.
        """
        rows: list[Row] = []
        last: Place | None = None
        for each in instructions:
            if each.symbol:
                rows.append(FunctionLabel(name=each.symbol, address=each.address))
            place = each.place
            if place is not None and (last is None or _line(place) != _line(last)):
                rows.append(DisassemblySourceLine(place=place, text=self.source_text(place)))
            last = place
            rows.append(each)
        return tuple(rows)

    def source_text(self, place: Place) -> str:
        """Return the text of a line; empty if its file is not here."""
        lines = self._texts.get(place.path)
        if lines is None:
            try:
                text = read_text(place.path, errors="replace")
            except OSError:
                text = ""
            lines = self._texts[place.path] = tuple(text.split("\n"))
        return lines[place.line - 1].rstrip() if 0 < place.line <= len(lines) else ""

    def forget_sources(self) -> None:
        """Drop the cached sources: the files may have changed."""
        self._texts.clear()


def unbroken_chain(above: Sequence[Instruction], address: int) -> tuple[Instruction, ...]:
    """Return the last ones that lead to an address without a gap; earlier ones are a guess."""
    kept: list[Instruction] = []
    for each in reversed(above):
        if each.end != (kept[-1].address if kept else address):
            break
        kept.append(each)
    return tuple(reversed(kept))


def with_places(
    instructions: Iterable[Instruction], last: Place | None = None
) -> tuple[Instruction, ...]:
    """Yield each with the last place reported before it, up to the next function."""
    found = []
    for each in instructions:
        if each.symbol:
            last = None
        if each.place is None and last is not None:
            each = msgspec.structs.replace(each, place=last)
        last = each.place
        found.append(each)
    return tuple(found)


def _line(place: Place) -> tuple[str, int]:
    return place.path, place.line


def _instructions(told: Iterable[dap.DisassembledInstruction]) -> Iterable[Instruction]:
    """Yield the real ones: adapters fill gaps with invalid ones."""
    for each in told:
        address = parse_reference(each.address)
        if address is None or address < 0 or each.presentation_hint == "invalid":
            continue
        text, _, remark = each.instruction.partition(";")
        place = None
        if each.location is not None and each.location.path and each.line:
            place = Place(path=each.location.path, line=each.line)
        yield Instruction(
            address=address,
            text=" ".join(text.split()),
            data=_bytes(each.instruction_bytes or ""),
            symbol=each.symbol or "",
            place=place,
            remark="" if each.symbol and remark.strip() == each.symbol else remark.strip(),
        )


def _bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""
