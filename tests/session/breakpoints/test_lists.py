"""Lists of breakpoints as DAP has them: what is sent to adapters, and made of their answers.

On the fake adapter, which decides nothing by itself that a rule of the protocol does not say. What
tuidbg itself answers as an adapter is in ``tests/api/dap``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fakes import CAPABILITIES, Script
from tests.support.recording import count_up, moment, program
from tests.support.sessions import fake_session
from tuidbg.adapters.traits import FunctionPlace
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import BreakpointStatus

SET, REFUSED, PENDING = BreakpointStatus.SET, BreakpointStatus.REFUSED, BreakpointStatus.PENDING

PATH = "/demo/count.py"


@pytest.mark.real
async def test_ids_are_not_needed(tmp_path: Path) -> None:
    script = Script(program([moment(PATH, line) for line in (1, 2, 5)]), quirks={"no_ids": True})
    async with fake_session(tmp_path, script) as t:
        await t.start()
        for line in (5, 3, 1):
            await t.session.breakpoints.set(PATH, line, origin="tui")
        found = {b.line: b.status for b in t.session.breakpoints.registry}
        assert found == {1: SET, 3: REFUSED, 5: SET}


@pytest.mark.real
async def test_what_an_adapter_announces_is_all_that_it_is_sent(tmp_path: Path) -> None:
    script = Script(count_up(PATH, 5), capabilities={"supportsConfigurationDoneRequest": True})
    async with fake_session(tmp_path, script) as t:
        await t.start()
        breakpoints = t.session.breakpoints
        plain = await breakpoints.set(PATH, 2, origin="tui")
        there = await breakpoints.set(
            PATH, 4, column=7, hit_condition="1", log_message="", origin="tui"
        )
        condition = await breakpoints.set(PATH, 3, condition="i", origin="tui")
        sent = t.fake.arguments_of("setBreakpoints")[-1]["breakpoints"]
        assert sent == [{"line": 2}, {"line": 4, "column": 7}]
        assert (plain.status, condition.status) == (SET, REFUSED)
        assert (there.status, there.column) == (SET, 7)
        assert there.message == "this debug adapter stops at the line, not at column 7"
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (2, (1,))


@pytest.mark.real
async def test_an_edited_source_is_announced_and_a_refusal_is_told(tmp_path: Path) -> None:
    source = tmp_path / "source.py"
    source.write_text("a = 1\nb = 2\nc = 3\n", encoding="utf-8")
    path = str(source)
    script = Script(count_up(path, 3), quirks={"fixed_sources": True})
    async with fake_session(tmp_path, script, target=path) as t:
        await t.start()
        breakpoints = t.session.breakpoints
        await breakpoints.set(path, 2, origin="tui")
        source.write_text("a = 1\nb = 2\nc = 3\nd = 4\n", encoding="utf-8")
        await breakpoints.set(path, 3, origin="tui")
        assert t.fake.arguments_of("setBreakpoints")[-1]["sourceModified"] is True
        old, new = t.breakpoint(2), t.breakpoint(3)
        assert old.status is SET
        assert new.status is not SET
        assert "restart" in old.message
        assert "restart" in new.message
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (2, (1,))


@pytest.mark.real
async def test_what_the_adapter_says_is_shown(tmp_path: Path) -> None:
    """In its words where it refuses or takes back; where it moves one, that is taken back."""
    moments = [moment(PATH, line, i=line) for line in (1, 2, 5, 9)]
    quirks = {"breakpoints": "up", "refuse": {"5": "there is no debug information"}}
    async with fake_session(tmp_path, Script(program(moments), quirks=quirks)) as t:
        await t.start()
        breakpoints = t.session.breakpoints
        refused = await breakpoints.set(PATH, 5, origin="tui")
        assert (refused.status, refused.message) == (REFUSED, "there is no debug information")
        moved = await breakpoints.set(PATH, 4, origin="tui")
        assert (moved.line, moved.status, moved.suggested_line) == (4, REFUSED, 2)
        assert moved.message == "no executable code at line 4"
        kept = await breakpoints.set(PATH, 9, origin="tui")
        (adapter_id,) = (i for i, n in breakpoints.binding.numbers.items() if kept.number in n)
        told = {"id": adapter_id, "verified": False, "message": "the module was unloaded"}
        await t.fake.send_event("breakpoint", {"reason": "changed", "breakpoint": told})
        await t.until(lambda: breakpoints.registry.get(kept.number).status is REFUSED)
        assert breakpoints.registry.get(kept.number).message == "the module was unloaded"
        await breakpoints.remove(kept.number, origin="tui")
        await t.go(Resume.CONTINUE)
        assert t.ended


# Kinds that only some adapters know


@pytest.mark.real
async def test_addresses_and_values(tmp_path: Path) -> None:
    """Set exactly there, or not at all and why; an adapter that can't is not even asked."""
    known = {"supportsInstructionBreakpoints": True, "supportsDataBreakpoints": True}
    code = count_up(PATH, 9, addresses={"0x4010": [PATH, 4]}, data={"total": [6, 7]})
    script = Script(code, capabilities={**CAPABILITIES, **known})
    async with fake_session(tmp_path, script) as t:
        breakpoints = t.session.breakpoints
        early = await breakpoints.set_address(0x4010, origin="tui")
        assert (early.status, early.places) == (PENDING, ())
        await t.start()
        assert breakpoints.registry.get(1).status is SET
        nowhere = await breakpoints.set_address(0x9999, origin="tui")
        assert (nowhere.status, nowhere.message) == (REFUSED, "nothing is loaded at this address")
        watched = await breakpoints.set_data("total", origin="tui")
        missing = await breakpoints.set_data("nothing", origin="tui")
        assert (watched.status, missing.status) == (SET, REFUSED)
        assert missing.message == "no value nothing"
        stops = []
        while not t.ended:
            await t.go(Resume.CONTINUE)
            if not t.ended:
                stops.append((t.line, t.hits))
        assert stops == [(4, (1,)), (6, (3,)), (7, (3,))]
        counted = {b.number: b.hits for b in breakpoints.registry}
        assert counted == {1: 1, 2: 0, 3: 2, 4: 0}


@pytest.mark.real
async def test_one_name_with_several_places(tmp_path: Path) -> None:
    """One breakpoint, hit and counted at each of them."""
    lines = (1, 3, 5, 3, 7)
    script = Script(program([moment(PATH, line, i=line) for line in lines]))
    async with fake_session(tmp_path, script) as t:
        t.profile.functions = {"draw": tuple(FunctionPlace(PATH, line, "draw") for line in (3, 7))}
        found = await t.session.breakpoints.set_function("draw", origin="tui")
        assert [(p.path, p.line) for p in found.places] == [(PATH, 3), (PATH, 7)]
        await t.start()
        stops = []
        while not t.ended:
            await t.go(Resume.CONTINUE)
            if not t.ended:
                stops.append((t.line, t.hits))
        assert stops == [(3, (1,)), (3, (1,)), (7, (1,))]
        assert t.session.breakpoints.registry.get(1).hits == 3


# Where the adapter has no probe, the session decides by the same rules


@pytest.mark.real
async def test_without_a_probe(tmp_path: Path) -> None:
    passes = [moment(PATH, line, i=i) for i in range(12) for line in (2, 3, 4, 5, 6)]
    async with fake_session(tmp_path, Script(program([moment(PATH, 1), *passes]))) as t:
        breakpoints = t.session.breakpoints
        await breakpoints.set(PATH, 6, temporary=True, condition="i == 1", origin="tui")
        await breakpoints.set(PATH, 2, condition="i % 2 == 0", hit_condition=">= 5", origin="tui")
        await breakpoints.set(PATH, 3, ignore_count=9, origin="tui")
        await breakpoints.set(PATH, 4, trigger=1, condition="i < 4", origin="tui")
        await breakpoints.set(
            PATH, 5, trace=True, log_message="{{{i}}} {nope}", every=2, at_most=3, origin="tui"
        )
        assert [b.number for b in breakpoints.registry if not b.armed] == [4]
        await t.start()
        stops = []
        while not t.ended:
            await t.go(Resume.CONTINUE)
            if not t.ended:
                stops.append((t.hits, int((await t.locals())["i"].value)))
        assert stops == [
            ((1,), 1), ((4,), 2), ((4,), 3), ((2,), 8), ((3,), 9), ((2,), 10), ((3,), 10),
            ((3,), 11),
        ]  # fmt: skip
        told = [(r.count, r.text) for r in t.session.trace]
        assert told == [(n, f"{{{n - 1}}} <error: NameError>") for n in (2, 4, 6)]
        found = {b.number: (b.hits, b.enabled) for b in breakpoints.registry}
        assert found == {2: (6, True), 3: (12, True), 4: (2, True), 5: (6, False)}
