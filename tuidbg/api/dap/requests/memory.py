"""Requests about native code: memory, and machine code."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from tuidbg.api.dap.arguments import (
    DisassembleArguments,
    ReadMemoryArguments,
    WriteMemoryArguments,
)
from tuidbg.api.dap.client import ORIGIN, Client
from tuidbg.api.dap.refusals import BadRequest
from tuidbg.api.dap.requests.values import changing_values
from tuidbg.api.operations import table
from tuidbg.api.operations.views import view_raw
from tuidbg.dap.references import parse_reference
from tuidbg.session.errors import NoInstructions
from tuidbg.session.native.disassembly import LARGEST_PAGE, Instruction
from tuidbg.session.native.memory import LARGEST_READ

Json = dict[str, Any]


class NativeRequests:
    """Answers what one client asks of memory and machine code."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def read_memory(self, asked: ReadMemoryArguments) -> Json:
        """Bytes from an address on, up to the first that can't be read."""
        address = _address(asked.memory_reference) + asked.offset
        if asked.count <= 0:
            return {"address": hex(address), "data": ""}
        memory = self._client.session.native.memory
        block = await table.READ_MEMORY(memory, address, min(asked.count, LARGEST_READ))
        data = block.data
        body: Json = {"address": hex(address)}
        if len(data) < block.size:
            body["unreadableBytes"] = block.size - len(data)
        return body | {"data": view_raw(base64.b64encode(data).decode())}

    async def write_memory(self, asked: WriteMemoryArguments) -> Json:
        """Write bytes; all of them, or it is refused."""
        client = self._client
        try:
            data = base64.b64decode(asked.data, validate=True)
        except binascii.Error:
            raise BadRequest("the data is no base64") from None
        address = _address(asked.memory_reference) + asked.offset
        with changing_values(client):
            memory = client.session.native.memory
            written = await table.WRITE_MEMORY(memory, address, data, origin=ORIGIN)
        return {"bytesWritten": len(written.after)}

    async def disassemble(self, asked: DisassembleArguments) -> Json:
        """As many instructions as were asked for; where there are none, that is said."""
        count = max(0, asked.instruction_count)
        if count > LARGEST_PAGE or abs(asked.instruction_offset) > LARGEST_PAGE:
            raise BadRequest(f"no more than {LARGEST_PAGE} instructions at once, please")
        address = _address(asked.memory_reference) + asked.offset
        before = max(0, -asked.instruction_offset)
        skipped = max(0, asked.instruction_offset)
        code = self._client.session.native.disassembly
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
    """A place without code; each has an address of its own, by which clients tell rows apart."""
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
