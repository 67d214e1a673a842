"""A small machine for pictures and panes: some code and some bytes, the same on every computer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from tuidbg.session.core.session import Session
from tuidbg.session.core.stepping import Stepping
from tuidbg.session.features.native.disassembly import Disassembly, Instruction
from tuidbg.session.features.native.memory import Memory, MemoryBlock, MemoryRun, Written
from tuidbg.session.features.native.views import NativeViews
from tuidbg.session.model.errors import NoInstructions
from tuidbg.session.model.events import StackChanged
from tuidbg.session.model.state import Place

SOURCE = """\
static int add(int a, int b) {
    int sum = a + b;
    return sum;
}

int main(void) {
    int total = 0;
    for (int i = 0; i < 5; i++) {
        total = add(total, i);
        printf("total %d\\n", total);
    }
    return 0;
}
"""

CODE = """\
add 1 55|push rbp
1 4889e5|mov rbp, rsp
1 897dec|mov dword ptr [rbp - 0x14], edi
1 8975e8|mov dword ptr [rbp - 0x18], esi
2 8b55ec|mov edx, dword ptr [rbp - 0x14]
2 8b45e8|mov eax, dword ptr [rbp - 0x18]
2 01d0|add eax, edx
2 8945fc|mov dword ptr [rbp - 0x4], eax
3 8b45fc|mov eax, dword ptr [rbp - 0x4]
4 5d|pop rbp
4 c3|ret
main 6 55|push rbp
6 4889e5|mov rbp, rsp
6 4883ec10|sub rsp, 0x10
7 c745fc00000000|mov dword ptr [rbp - 0x4], 0x0
8 c745f800000000|mov dword ptr [rbp - 0x8], 0x0
8 eb2e|jmp 0x401190|main + 75 at add.c:8:23
9 8b55f8|mov edx, dword ptr [rbp - 0x8]
9 8b45fc|mov eax, dword ptr [rbp - 0x4]
9 89d6|mov esi, edx
9 89c7|mov edi, eax
9 e8b5ffffff|call 0x401126|add at add.c:1:30
9 8945fc|mov dword ptr [rbp - 0x4], eax
10 8b45fc|mov eax, dword ptr [rbp - 0x4]
10 89c6|mov esi, eax
10 488d3d840e0000|lea rdi, [rip + 0xe84]|"total %d\\n"
10 b800000000|mov eax, 0x0
10 e8b2feffff|call 0x401030|symbol stub for: printf
8 8345f801|add dword ptr [rbp - 0x8], 0x1
8 837df804|cmp dword ptr [rbp - 0x8], 0x4
8 7ecc|jle 0x40115a|main + 23 at add.c:9:17
12 b800000000|mov eax, 0x0
13 c9|leave
13 c3|ret
"""

START = 0x401126


class FixedCode(Disassembly):
    """The code above, in place of an adapter's."""

    def __init__(self, session: Session, source: Path) -> None:
        super().__init__(session)
        source.write_text(SOURCE)
        self.code = tuple(_instructions(str(source)))
        self.asked: list[tuple[int, int, int]] = []

    def why_not(self) -> str:
        return ""

    async def _ask(self, address: int, offset: int, count: int) -> tuple[Instruction, ...]:
        self.asked.append((address, offset, count))
        at = next((n for n, i in enumerate(self.code) if i.address == address), None)
        if at is None:
            raise NoInstructions(address)
        return self.code[max(0, at + offset) : max(0, at + offset + count)]


def _instructions(path: str) -> list[Instruction]:
    found, address = [], START
    for line in CODE.splitlines():
        words, _, text = line.partition("|")
        *symbol, number, digits = words.split()
        text, _, remark = text.partition("|")
        data = bytes.fromhex(digits)
        found.append(
            Instruction(
                address=address,
                text=text,
                data=data,
                symbol=symbol[0] if symbol else "",
                place=Place(path, int(number)),
                remark=remark,
            )
        )
        address += len(data)
    return found


class FixedMemory(Memory):
    """A page of bytes from 0x7fffffffe000 on, and nothing else."""

    FIRST = 0x7FFFFFFFE000

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        text = b"first\0\0\0The quick brown fox\0"
        pointer = (self.FIRST + 0x40).to_bytes(8, "little")
        self.bytes = bytearray(text + bytes(20) + pointer + bytes(range(256)) + bytes(1024))

    def why_not(self) -> str:
        return ""

    def why_no_writing(self) -> str:
        return ""

    async def read(self, address: int, size: int) -> MemoryBlock:
        first, last = max(address, self.FIRST), min(address + size, self.FIRST + len(self.bytes))
        data = bytes(self.bytes[first - self.FIRST : last - self.FIRST]) if first < last else b""
        runs = (MemoryRun(address=first, data=data),) if data else ()
        return MemoryBlock(address=address, size=size, runs=runs)

    async def _write_once(self, address: int, data: bytes) -> None:
        self.bytes[address - self.FIRST : address - self.FIRST + len(data)] = data

    async def find(self, text: str, frame_id: int | None = None) -> int:
        return self.FIRST if text == "$sp" else await super().find(text, frame_id)


class FixedSteps(Stepping):
    """Steps that may be of instructions."""

    def why_no_granularity(self) -> str:
        return ""


def make_native(session: Session, folder: Path) -> tuple[FixedCode, FixedMemory]:
    """The session has this machine's code and memory from now on."""
    code, memory = FixedCode(session, folder / "add.c"), FixedMemory(session)
    NativeViews.of(session).disassembly, NativeViews.of(session).memory = code, memory
    session.stepping = FixedSteps(session)
    return code, memory


def stand_at(session: Session, *addresses: int, **changes: Any) -> None:
    """Tell that the frames of the present stop are at these addresses; None-like: as they are."""
    frames = [
        msgspec.structs.replace(frame, address=address, **(changes if not index else {}))
        for index, (frame, address) in enumerate(zip(session.frames, addresses, strict=False))
    ]
    assert session.stop is not None
    session.frames = tuple(frames)
    session.publish(
        StackChanged(
            stop_id=session.stop_id,
            thread_id=session.stop.thread_id,
            frames=session.frames,
            total=len(frames),
        )
    )


__all__ = ["CODE", "START", "FixedCode", "FixedMemory", "Written", "make_native", "stand_at"]
