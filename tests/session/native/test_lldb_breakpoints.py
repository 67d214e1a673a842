"""Breakpoints on symbols, addresses and lines of native programs, on the real lldb-dap."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.native import PROGRAMS, compiled, line_of, lldb_session, needs_cc, needs_lldb
from tests.support.sessions import SessionUnderTest
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import InvalidSetting
from tuidbg.session.model.state import Breakpoint, BreakpointStatus, StopReason

pytestmark = [pytest.mark.real, needs_lldb, needs_cc]

SHOP = "parcel_shop.cpp"
SOURCE = str(PROGRAMS / SHOP)


def lines(found: Breakpoint) -> set[int]:
    """The lines at which it stands in the shop's source."""
    return {place.line for place in found.places if place.path == SOURCE}


def now(test: SessionUnderTest, found: Breakpoint) -> Breakpoint:
    """That breakpoint as it is by now."""
    return test.session.breakpoints.registry.get(found.number)


class TestSymbols:
    @pytest.mark.full
    async def test_one_symbol_has_several_places_and_one_number(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            await test.start()
            found = await test.session.breakpoints.set_function("area", origin="tui")
            assert found.status is BreakpointStatus.SET
            overloads = [line_of(SHOP, "return side"), line_of(SHOP, "return side") + 3]
            assert lines(found) == {*overloads, line_of(SHOP, "return wide")}
            addresses = [place.address for place in found.places]
            assert len(set(addresses)) == 3
            assert all(addresses)

    @pytest.mark.full
    async def test_a_hit_at_any_place_counts_on_that_number(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            await test.start()
            found = await test.session.breakpoints.set_function("area", origin="tui")
            stood = []
            for _ in range(3):
                await test.go(Resume.CONTINUE)
                assert test.hits == (found.number,)
                stood.append(test.line)
            assert sorted(stood) == sorted(lines(found))
            assert now(test, found).hits == 3

    @pytest.mark.full
    async def test_a_name_may_be_as_exact_as_cpp_has_it(self, tmp_path: Path) -> None:
        names = {
            "shapes::area(int)": "return side",
            "shapes::box::area() const": "return wide",
            "twice<double>(double)": "T result",
            "bump()": "int before",
        }
        async with lldb_session(tmp_path, SHOP) as test:
            await test.start()
            for name, text in names.items():
                found = await test.session.breakpoints.set_function(name, origin="tui")
                assert [place.line for place in found.places] == [line_of(SHOP, text)]

    @pytest.mark.full
    async def test_templates_and_inlined_copies_are_places_too(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            breakpoints = test.session.breakpoints
            twice = await breakpoints.set_function("twice", origin="tui")
            inlined = await breakpoints.set_function("plus_one", origin="tui")
            in_template = await breakpoints.set(
                SOURCE, line_of(SHOP, "return result"), origin="tui"
            )
            await test.start()
            for found in (twice, inlined, in_template):
                assert len(now(test, found).places) == 2
            await test.go(Resume.CONTINUE)
            assert test.hits == (twice.number,)

    @pytest.mark.full
    async def test_a_symbol_of_a_library_waits_until_that_is_loaded(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            found = await test.session.breakpoints.set_function("puts", origin="tui")
            missing = await test.session.breakpoints.set_function("nonesuch", origin="tui")
            await test.start()
            await test.until(lambda: now(test, found).status is BreakpointStatus.SET)
            assert now(test, found).places[0].address
            await test.until(lambda: now(test, missing).status is BreakpointStatus.REFUSED)
            assert now(test, missing).message == (
                "there is no function nonesuch in the program or its libraries"
            )

    @pytest.mark.full
    async def test_an_unknown_symbol_is_refused_while_the_program_lives(
        self, tmp_path: Path
    ) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            await test.start()
            found = await test.session.breakpoints.set_function("nonesuch", origin="tui")
            assert found.status is BreakpointStatus.REFUSED
            assert found.message == (
                "there is no function nonesuch in the program or its libraries"
            )
            with pytest.raises(InvalidSetting):
                await test.session.breakpoints.set_function("3 + 4", origin="tui")

    @pytest.mark.full
    async def test_it_keeps_its_settings_and_places_after_a_restart(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            found = await test.session.breakpoints.set_function(
                "area", condition="side == 3", origin="tui"
            )
            await test.start()
            before = now(test, found).places
            assert len(before) == 3
            await test.session.lifecycle.restart()
            await test.settled(test.session.stop_id - 1)
            assert test.reason is StopReason.ENTRY
            assert now(test, found).places == before


class TestAddresses:
    @pytest.mark.full
    async def test_before_the_launch_and_after_a_restart(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            breakpoints = test.session.breakpoints
            await test.start()
            symbol = await breakpoints.set_function("bump", origin="tui")
            address = symbol.places[0].address
            assert address is not None
            await breakpoints.remove(symbol.number, origin="tui")
            found = await breakpoints.set_address(address, origin="tui")
            assert found.places[0].address == address
            for _ in range(2):
                await test.go(Resume.CONTINUE)
                assert test.hits == (found.number,)
                assert test.line == line_of(SHOP, "int before")
                await test.session.lifecycle.restart()
                await test.settled(test.session.stop_id - 1)

    async def test_an_address_without_code_is_refused(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            early = await test.session.breakpoints.set_address(0x10, origin="tui")
            await test.start()
            assert now(test, early).status is BreakpointStatus.PENDING
            late = await test.session.breakpoints.set_address(0x20, origin="tui")
            assert (late.status, late.message) == (
                BreakpointStatus.REFUSED,
                "there is no code at 0x20 in the program or its libraries",
            )
            assert late.places == ()


class TestLines:
    @pytest.mark.full
    async def test_a_bare_name_is_found_among_the_sources(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            line = line_of(SHOP, "int before")
            early = await test.session.breakpoints.set(SHOP, line, origin="tui")
            await test.start()
            assert (now(test, early).path, now(test, early).line) == (SOURCE, line)
            assert now(test, early).status is BreakpointStatus.SET
            await test.go(Resume.CONTINUE)
            assert test.hits == (early.number,)

    @pytest.mark.full
    async def test_a_line_without_code_is_refused_with_one_that_has(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            await test.start()
            line = line_of(SHOP, "int counter = 0")
            found = await test.session.breakpoints.set(SOURCE, line, origin="tui")
            assert found.status is BreakpointStatus.REFUSED
            assert found.message == f"no executable code at line {line}"
            assert found.suggested_line is not None
            assert abs(found.suggested_line - line) < 4

    async def test_a_program_without_debug_information_says_so(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, compiled(SHOP, "-g0")) as test:
            found = await test.session.breakpoints.set(SOURCE, 30, origin="tui")
            symbol = await test.session.breakpoints.set_function("bump", origin="tui")
            await test.start()
            assert now(test, found).status is BreakpointStatus.PENDING
            assert "build it with -g" in now(test, found).message
            assert now(test, symbol).status is BreakpointStatus.SET
            await test.go(Resume.CONTINUE)
            assert test.hits == (symbol.number,)

    async def test_a_file_that_was_moved_since_the_build_is_mapped(self, tmp_path: Path) -> None:
        moved = tmp_path / SHOP
        moved.write_bytes(Path(SOURCE).read_bytes())
        folders = {str(tmp_path): str(PROGRAMS)}
        line = line_of(SHOP, "int before")
        async with lldb_session(tmp_path, SHOP) as test:
            await test.start()
            found = await test.session.breakpoints.set(str(moved), line, origin="tui")
            assert found.message == (
                f"the program was built from {SOURCE}; map that folder to this one"
            )
        async with lldb_session(tmp_path, SHOP, path_mappings=folders) as test:
            found = await test.session.breakpoints.set(str(moved), line, origin="tui")
            await test.start()
            await test.go(Resume.CONTINUE)
            place = test.session.frames[0].place
            assert place is not None
            assert (test.hits, place.path) == ((found.number,), str(moved))

    @pytest.mark.full
    async def test_a_source_newer_than_the_program_is_remarked(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP) as test:
            binary = tmp_path / "shop"
            binary.write_bytes(compiled(SHOP).read_bytes())
            binary.chmod(0o755)
        import os

        os.utime(binary, (1, 1))
        async with lldb_session(tmp_path, binary) as test:
            found = await test.session.breakpoints.set(
                SOURCE, line_of(SHOP, "int before"), origin="tui"
            )
            await test.start()
            assert now(test, found).status is BreakpointStatus.SET
            assert "newer than the program" in now(test, found).message


class TestLibraries:
    async def test_what_a_library_brings_is_set_when_it_is_loaded(self, tmp_path: Path) -> None:
        library = compiled("plugin.c", "-shared", "-fPIC")
        source = str(PROGRAMS / "plugin.c")
        async with lldb_session(tmp_path, "signals.c", "load", str(library)) as test:
            await test.start()
            symbol = await test.session.breakpoints.set_function("plugin_call", origin="tui")
            line = await test.session.breakpoints.set(source, 3, origin="tui")
            assert symbol.status is BreakpointStatus.REFUSED
            assert line.status is BreakpointStatus.PENDING
            await test.go(Resume.CONTINUE)
            assert (test.hits, test.line) == ((symbol.number,), 2)
            await test.until(lambda: now(test, symbol).status is BreakpointStatus.SET)
            assert now(test, line).status is BreakpointStatus.SET
            await test.go(Resume.CONTINUE)
            assert (test.hits, test.line) == ((line.number,), 3)
