"""Rust programs under the real lldb-dap: their beginning, their values, their panics."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.native import PROGRAMS, line_of, lldb_session, needs_lldb
from tests.support.sessions import SessionUnderTest
from tuidbg.adapters.lldb.rust import formatter_commands
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.stack.inspection import first_frame
from tuidbg.session.model.state import StopReason

pytestmark = [
    pytest.mark.real,
    needs_lldb,
    pytest.mark.skipif(shutil.which("rustc") is None, reason="no Rust compiler is installed"),
]


with_formatters = pytest.mark.skipif(
    not formatter_commands(str(PROGRAMS)), reason="rustc's formatters are not installed"
)


@pytest.fixture
async def binary(tmp_path: Path) -> Path:
    return await build("parcels.rs", tmp_path / "post-office")


async def build(name: str, binary: Path) -> Path:
    source = str(PROGRAMS / name)
    building = await asyncio.create_subprocess_exec("rustc", "-g", "-o", binary, source)
    assert await building.wait() == 0
    return binary


async def test_it_begins_in_its_own_main_and_has_values(binary: Path, tmp_path: Path) -> None:
    async with lldb_session(tmp_path, binary) as test:
        await test.start()
        assert test.reason is StopReason.ENTRY
        session = test.session
        assert session.stop is not None
        shown = first_frame(session, session.frames, session.stop.thread_id)
        assert session.frames[shown].name == "parcels::main"
        found = await test.session.breakpoints.set_function("cost", origin="tui")
        await test.go(Resume.CONTINUE)
        assert test.hits == (found.number,)
        await test.go(Resume.STEP_OVER)
        assert (await test.locals())["base"].value == "6"


@pytest.mark.full
@with_formatters
async def test_values_are_shown_by_rustcs_own_formatters(binary: Path, tmp_path: Path) -> None:
    path = str(PROGRAMS / "parcels.rs")
    async with lldb_session(tmp_path, binary, stop_on_entry=False) as test:
        line = line_of("parcels.rs", "println!")
        await test.session.breakpoints.set(path, line, origin="tui")
        await test.start()
        values = await test.locals()
        told = {name: (value.type, value.value) for name, value in values.items()}
        assert told["kinds"] == ("Vec<parcels::Kind>", "size=3")
        kinds = await test.session.inspection.variables(values["kinds"].reference)
        assert [kind.value for kind in kinds] == ["Letter", "Box(2)", "Tube{length:7}"]
        assert told["sizes"][0].startswith("HashMap<String, ")
        (size,) = await test.session.inspection.variables(values["sizes"].reference)
        assert size.value == '("small", 3)'
        assert told["nobody"] == ("Option<String>", "None")
        assert told["somebody"] == ("Option<String>", 'Some("Ada")')
        assert not [line for line in test.console.splitlines() if "lldb" in line.lower()]


@asynccontextmanager
async def at_shelves(folder: Path) -> AsyncIterator[SessionUnderTest]:
    """A program with numbers and trees of all kinds, where all of them are there."""
    async with lldb_session(
        folder, await build("shelves.rs", folder / "shelves"), stop_on_entry=False
    ) as test:
        line = line_of("shelves.rs", "// here")
        await test.session.breakpoints.set(str(PROGRAMS / "shelves.rs"), line, origin="tui")
        await test.start()
        yield test


@pytest.mark.full
async def test_types_of_numbers_have_rusts_names(tmp_path: Path) -> None:
    async with at_shelves(tmp_path) as test:
        values = await test.locals()
        types = {name: variable.type for name, variable in values.items()}
        assert types["count"] == "i32" and types["byte"] == "u8" and types["long"] == "i64"
        assert types["ratio"] == "f64" and types["letter"] == "char"
        assert types["numbers"] == "Vec<u16>"
        assert types["shared"] == "HashMap<u8, i64>"
        fields = await test.session.inspection.variables(values["shelf"].reference)
        assert [field.type for field in fields] == ["i8", "u64", "char", "(i32, u8)"]


@pytest.mark.full
@with_formatters
async def test_bytes_are_numbers_and_no_characters(tmp_path: Path) -> None:
    async with at_shelves(tmp_path) as test:
        values = await test.locals()
        assert values["byte"].value == "200"
        fields = await test.session.inspection.variables(values["shelf"].reference)
        told = {field.name: field.value for field in fields}
        assert (told["small"], told["pair"]) == ("-1", "(1, 2)")


@pytest.mark.full
@with_formatters
async def test_trees_are_shown_by_their_entries(tmp_path: Path) -> None:
    async with at_shelves(tmp_path) as test:
        values = await test.locals()
        look = test.session.inspection.variables

        async def entries(name: str) -> dict[str, str]:
            return {each.name: each.value for each in await look(values[name].reference)}

        assert (values["towns"].type, values["towns"].value) == ("BTreeMap<String, u32>", "size=2")
        assert await entries("towns") == {'["Oslo"]': "2", '["Rome"]': "5"}
        assert await entries("pairs") == {'[(1, "a")]': "size=1"}
        assert (values["nothing"].value, await entries("nothing")) == ("size=0", {})
        assert values["odd"].value == "size=40"
        assert await entries("odd") == {f"[{at}]": str(2 * at + 1) for at in range(40)}
        page = await look(values["squares"].reference, 990, 10, "indexed")
        assert {each.name: each.value for each in page} == {
            f"[{number}]": str(number * number) for number in range(990, 1000)
        }


async def test_a_panic_stops_where_it_came_from(binary: Path, tmp_path: Path) -> None:
    async with lldb_session(tmp_path, binary, "more", stop_on_entry=False) as test:
        await test.start()
        session = test.session
        assert session.stop is not None and session.stop.reason is StopReason.EXCEPTION
        await test.until(
            lambda: session.stop is not None and session.stop.exception is not None,
            "the panic is described",
        )
        assert session.stop.exception is not None
        assert session.stop.exception.type == "panic"
        shown = session.frames[first_frame(session, session.frames, session.stop.thread_id)]
        assert shown.place is not None
        assert shown.place.line == line_of("parcels.rs", "none.unwrap()")
        assert shown.name == "parcels::main"
        await test.go(Resume.CONTINUE)
        assert session.exit is not None and session.exit.code == 101
