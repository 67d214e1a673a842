"""Memory, machine code and registers of native programs, on the real adapters."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.go import TOUR, go_session
from tests.support.native import (
    PROGRAMS,
    is_older_lldb,
    line_of,
    lldb_session,
    needs_cc,
    needs_delve,
    needs_lldb,
)
from tests.support.sessions import SessionUnderTest
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.sources.definitions import Definitions
from tuidbg.session.core.stepping import Granularity
from tuidbg.session.features.native.disassembly import (
    DisassemblySourceLine,
    FunctionLabel,
    Instruction,
    unbroken_chain,
)
from tuidbg.session.features.native.memory import MemoryBlock, MemoryRun, changed_addresses
from tuidbg.session.features.native.registers import RegisterGroup
from tuidbg.session.features.native.views import NativeViews
from tuidbg.session.features.report import write_report
from tuidbg.session.model.errors import (
    EvaluationFailed,
    MemoryNotWritable,
    NoAddress,
    NoInstructions,
    RegisterNotFound,
    UnsupportedByAdapter,
)
from tuidbg.session.model.state import BreakpointStatus, Frame, Place, StopReason

pytestmark = pytest.mark.real

CELLS = PROGRAMS / "cells.c"


@pytest.fixture
async def cells(tmp_path: Path) -> AsyncIterator[SessionUnderTest]:
    """The C program, stopped in ``main`` where the sum is counted for the first time."""
    async with lldb_session(tmp_path, "cells.c") as test:
        await test.session.breakpoints.set(
            str(CELLS), line_of("cells.c", "sum += fill"), origin="tui"
        )
        await test.start()
        await test.go(Resume.CONTINUE)
        yield test


@needs_lldb
@needs_cc
class TestMemory:
    async def test_a_pointer_leads_to_what_it_points_to(self, cells: SessionUnderTest) -> None:
        memory, frame = NativeViews.of(cells.session).memory, cells.session.frames[0].id
        await cells.go(Resume.STEP_OVER)
        at = await memory.find("head", cells.session.frames[0].id)
        assert at == await memory.find("&first", frame)
        assert at == await memory.find("first", frame), "a value is found where it is"
        assert at == await memory.find(hex(at)) == await memory.find(str(at))
        block = await memory.read(at, 32)
        assert block.data[:4] == (1).to_bytes(4, "little")
        assert block.data[16:22] == b"first\0"
        variables = await cells.locals()
        assert await memory.address_of(variables["head"], frame) == at
        assert await memory.address_of(variables["sum"], frame) == await memory.find("&sum", frame)

    async def test_what_can_not_be_read_is_told(self, cells: SessionUnderTest) -> None:
        memory = NativeViews.of(cells.session).memory
        nothing = await memory.read(0x10, 32)
        assert (nothing.data, nothing.unreadable, nothing.at(0x10)) == (b"", 32, None)
        top = await memory.find("$sp", cells.session.frames[0].id)
        stack = await memory.read(top, 1 << 18)
        assert 0 < len(stack.data) < 1 << 18 and stack.unreadable == (1 << 18) - len(stack.data)
        end = top + len(stack.data)
        assert (await memory.read(end - 8, 16)).unreadable == 8, "one end of a page is"
        # The first page of the program has one before it that is not there.
        first = int((await memory.read(end - 8, 8)).address)
        assert first == end - 8
        with pytest.raises(NoAddress, match="no address"):
            await memory.read(1 << 70, 1)
        with pytest.raises(EvaluationFailed, match="nowhere"):
            await memory.find("nowhere", cells.session.frames[0].id)

    async def test_bytes_are_written_and_brought_back(self, cells: SessionUnderTest) -> None:
        memory, frame = NativeViews.of(cells.session).memory, cells.session.frames[0].id
        at = await memory.find("&sum", frame)
        written = await memory.write(at, b"\x07\x01", origin="tui")
        assert written.before == b"\0\0"
        assert (await cells.locals())["sum"].value == "263"
        undone = await memory.undo(origin="tui")
        assert undone is not None and undone.after == b"\0\0"
        assert (await cells.locals())["sum"].value == "0"
        assert await memory.undo(origin="tui") is None
        with pytest.raises(MemoryNotWritable, match="can't write to memory at 0x10: "):
            await memory.write(0x10, b"\0", origin="tui")
        code = cells.session.frames[0].address
        assert code is not None
        with pytest.raises(MemoryNotWritable, match="not writable"):
            await memory.write(code, b"\x90", origin="tui")

    @pytest.mark.full
    async def test_what_a_step_changes_is_known(self, cells: SessionUnderTest) -> None:
        memory = NativeViews.of(cells.session).memory
        at = await memory.find("buffer", cells.session.frames[0].id)
        before = await memory.read(at, 64)
        await cells.go(Resume.STEP_OVER)
        now = await memory.read(at, 64)
        assert changed_addresses(before, now) == set(range(at + 1, at + 16)), "the first is 0"


def test_changes_are_told_of_bytes_that_were_read_both_times() -> None:
    def block(*runs: tuple[int, bytes]) -> MemoryBlock:
        return MemoryBlock(
            address=0, size=32, runs=tuple(MemoryRun(address=a, data=d) for a, d in runs)
        )

    assert changed_addresses(block((0, b"abcd")), block((2, b"xdee"))) == {2}
    assert changed_addresses(block((0, b"ab"), (8, b"cd")), block((1, b"x"), (9, b"y"))) == {1, 9}
    assert changed_addresses(block(), block((0, b"a"))) == frozenset()


@needs_lldb
@needs_cc
class TestMachineCode:
    async def test_it_has_functions_lines_and_the_present_place(
        self, cells: SessionUnderTest
    ) -> None:
        disassembly, frame = NativeViews.of(cells.session).disassembly, cells.session.frames[0]
        found = await disassembly.of_frame(frame, 20, 60)
        assert [i.address for i in found] == sorted(i.address for i in found)
        assert all(a.end == b.address for a, b in itertools.pairwise(found))
        (here,) = (i for i in found if i.address == frame.address)
        assert here.place is not None and here.place.path == str(CELLS)
        assert here.place.line == frame.place.line  # type: ignore[union-attr]
        rows = disassembly.rows(found)
        assert FunctionLabel(name="main", address=_start(found, "main")) in rows
        above = rows[rows.index(here) - 1]
        assert (
            isinstance(above, DisassemblySourceLine)
            and above.text.strip() == "sum += fill(buffer, 16 * round, 16);"
        )
        assert any("fill" in i.remark for i in found if i.text.startswith("call"))

    async def test_pages_join_in_both_directions(self, cells: SessionUnderTest) -> None:
        """Above ``main`` is ``fill``, which lldb-dap does not reach by counting backwards."""
        disassembly, frame = NativeViews.of(cells.session).disassembly, cells.session.frames[0]
        assert frame.address is not None
        here = await disassembly.of_frame(frame, 0, 8)
        above = await disassembly.before(frame.address, 60)
        assert above[-1].end == frame.address and len(above) == 60
        assert all(a.end == b.address for a, b in itertools.pairwise(above))
        assert {"main", "fill"} <= {i.symbol for i in above}
        fill = await disassembly.around(_start(above, "fill"), 0, 24)
        at = next(n for n, i in enumerate(above) if i.symbol == "fill")
        assert above[at : at + 24] == fill, "decoded from elsewhere, it is the same code"
        below = await disassembly.after(here[-1], 8)
        assert below[0].address == here[-1].end
        assert below == (await disassembly.of_frame(frame, 0, 16))[8:]

    async def test_where_nothing_is_mapped_it_says_so(self, cells: SessionUnderTest) -> None:
        with pytest.raises(NoInstructions, match="no code to show at 0x10"):
            await NativeViews.of(cells.session).disassembly.around(0x10)
        assert await NativeViews.of(cells.session).disassembly.before(0x10) == ()

    async def test_steps_go_by_instructions_where_asked(self, cells: SessionUnderTest) -> None:
        session = cells.session
        before = session.frames[0]
        code = await NativeViews.of(session).disassembly.of_frame(before, 0, 2)
        stop = session.stop_id
        await session.execution.resume(
            Resume.STEP_OVER, granularity=Granularity.INSTRUCTION, origin="tui"
        )
        await cells.settled(stop)
        assert session.frames[0].address == code[1].address
        assert session.frames[0].place.line == before.place.line  # type: ignore[union-attr]
        session.stepping.set_granularity(Granularity.INSTRUCTION)
        await cells.go(Resume.STEP_OVER)
        assert session.frames[0].address not in (code[0].address, code[1].address)
        if not is_older_lldb():  # there it goes by commands of LLDB's
            assert [s.get("granularity") for s in cells.sent("next")] == ["instruction"] * 2

    @pytest.mark.full
    async def test_breakpoints_at_instructions_stop(self, cells: SessionUnderTest) -> None:
        session = cells.session
        code = await NativeViews.of(session).disassembly.of_frame(session.frames[0], 0, 12)
        breakpoint = await session.breakpoints.set_address(code[3].address, origin="tui")
        await cells.until(
            lambda: (
                session.breakpoints.registry.get(breakpoint.number).status is BreakpointStatus.SET
            )
        )
        await cells.go(Resume.CONTINUE)
        assert session.frames[0].address == code[3].address
        assert cells.reason is StopReason.BREAKPOINT and cells.hits == (breakpoint.number,)


def test_code_above_is_shown_as_far_as_it_leads_to_where_it_is_asked_for() -> None:
    def code(*rows: tuple[int, int]) -> list[Instruction]:
        return [Instruction(address=a, text="nop", data=b"\x90" * size) for a, size in rows]

    def starts(rows: list[Instruction], address: int) -> list[int]:
        return [i.address for i in unbroken_chain(rows, address)]

    assert starts(code((1, 2), (3, 1), (4, 4)), 8) == [1, 3, 4]
    assert starts(code((0, 2), (3, 1), (4, 4)), 8) == [3, 4], "there is a gap above"
    assert starts(code((1, 2), (3, 1), (4, 5)), 8) == [], "the last reaches beyond"


@needs_lldb
@needs_cc
class TestRegisters:
    async def test_they_are_listed_read_and_set(self, cells: SessionUnderTest) -> None:
        session = cells.session
        registers, frame = NativeViews.of(session).registers, session.frames[0]
        groups = await registers.groups(frame.id)
        assert len(groups) > 1 and all(group.registers for group in groups)
        pc = await registers.get(frame.id, "$pc" if _has(groups, "pc") else "rip")
        assert pc.number == frame.address
        changed = await registers.set(
            frame.id, "rbx" if _has(groups, "rbx") else "x19", "0x77", origin="tui"
        )
        assert changed.number == 0x77
        with pytest.raises(EvaluationFailed, match="zork"):
            await registers.set(frame.id, changed.name, "zork", origin="tui")
        with pytest.raises(RegisterNotFound, match="no register zork"):
            await registers.get(frame.id, "zork")


def _has(groups: tuple[RegisterGroup, ...], name: str) -> bool:
    return any(r.name == name for group in groups for r in group.registers)


def _start(code: tuple[Instruction, ...], symbol: str) -> int:
    return next(i.address for i in code if i.symbol == symbol)


@pytest.mark.full
@needs_delve
async def test_go_has_machine_code_and_no_memory(tmp_path: Path) -> None:
    async with go_session(tmp_path, TOUR) as test:
        await test.start()
        session = test.session
        frame = session.frames[0]
        code = await NativeViews.of(session).disassembly.of_frame(frame, 12, 40)
        assert any(i.address == frame.address and i.place == _line_of(frame) for i in code)
        assert all(a.end == b.address for a, b in itertools.pairwise(code))
        rows = NativeViews.of(session).disassembly.rows(code)
        texts = [row.text.strip() for row in rows if isinstance(row, DisassemblySourceLine)]
        assert "func main() {" in texts
        found = (
            NativeViews.of(session).disassembly.why_not(),
            NativeViews.of(session).memory.why_not(),
        )
        assert found == ("", "dlv does not show the program's memory")
        with pytest.raises(UnsupportedByAdapter, match="dlv does not show"):
            await NativeViews.of(session).memory.read(0x401000, 16)
        stop = session.stop_id
        await session.execution.resume(
            Resume.STEP_OVER, granularity=Granularity.INSTRUCTION, origin="tui"
        )
        await test.settled(stop)
        here = next(n for n, i in enumerate(code) if i.address == frame.address)
        assert session.frames[0].address == code[here + 1].address


def _line_of(frame: Frame) -> Place | None:
    return Place(frame.place.path, frame.place.line) if frame.place is not None else None


@needs_lldb
@needs_cc
async def test_definitions_of_functions_are_found(cells: SessionUnderTest) -> None:
    text, line = CELLS.read_text(), line_of("cells.c", "sum += fill")
    find = Definitions(cells.session).find
    (found,) = await find(str(CELLS), text, line, "fill", cells.session.frames[0])
    assert (found.path, found.line) == (str(CELLS), line_of("cells.c", "static int fill"))
    assert await find(str(CELLS), text, line, "sum", cells.session.frames[0]) == ()


@needs_lldb
@needs_cc
async def test_a_report_names_the_program_and_no_interpreter(
    cells: SessionUnderTest, tmp_path: Path
) -> None:
    await cells.session.evaluation.evaluate("sum + 1", cells.session.frames[0].id)
    cells.session.output.add("input", "sum + 1")
    file = tmp_path / "report.md"
    await write_report(cells.session, file)
    text = file.read_text()
    assert f"- Command line: `{cells.session.plan.target}`" in text
    assert "lldb-dap" in text
    assert "Interpreter" not in text and "Just my code" not in text
    assert "> sum + 1" in text and ">>>" not in text
