"""Every key that the bar names does what the bar says, at each place and in each key map."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from tests.support.fakes import Script
from tests.support.recording import frame, program
from tests.support.screens import Debugger, debugger, screen_rows
from tests.tui.keys.commands_given import ENDS_THE_TEST, Given
from tuidbg.session.model.events import TraceProduced
from tuidbg.session.model.state import TraceRecord
from tuidbg.tui.app.keys.keymaps import KEY_MAPS
from tuidbg.tui.features.console import commands as console_commands
from tuidbg.tui.toolkit.dialogs.pager import PagerDialog
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog
from tuidbg.tui.toolkit.keys.key_reader import Named
from tuidbg.tui.toolkit.widgets.key_bar import KeyBar

pytestmark = pytest.mark.once

Do = Callable[[Debugger], Awaitable[None]]
Check = Callable[[Debugger, dict[str, Any]], bool]


def two_frames(folder: Path) -> Script:
    path = folder / "two.py"
    path.write_text("x = 1\n" * 30)
    frames = [frame("inner", str(path), 5, x=1, things=[1, 2]), frame("outer", str(path), 9, x=2)]
    return Script(program([{"frames": frames}] * 40))


def bar(bench: Debugger) -> KeyBar:
    return bench.app.screen.query_one(KeyBar)


def line(bench: Debugger) -> Any:
    return bench.screen.console.line


# The places


def pane(name: str, row: int = 0) -> Do:
    async def go(bench: Debugger) -> None:
        bench.screen.focus_pane(name)
        found = bench.screen.body.panes[name]
        if row:
            found.cursor = row  # type: ignore[attr-defined]

    return go


def command(name: str, *keys: str, text: str = "") -> Do:
    async def go(bench: Debugger) -> None:
        bench.screen.action_command(name)
        await bench.pilot.pause()
        if text:
            bench.app.screen.focused.value = text  # type: ignore[union-attr]
        await bench.press(*keys)

    return go


async def breakpoints(bench: Debugger) -> None:
    path = str(bench.screen.view.document.key)  # type: ignore[union-attr]
    if not list(bench.session.breakpoints.registry):
        await bench.session.breakpoints.set(path, 9, origin="tui")
    await bench.settled()
    bench.screen.focus_pane("breakpoints")


async def evaluating(bench: Debugger) -> None:
    bench.screen.focus_pane("source")
    bench.screen.console.history = ["x + 1"]
    bench.screen.action_command("evaluate")
    line(bench).put("thing")


async def typing(bench: Debugger) -> None:
    bench.screen.focus_pane("source")
    bench.screen.action_command("switch_input")
    line(bench).put("text")


async def read_value(bench: Debugger) -> None:
    await pane("variables", 2)(bench)
    bench.screen.action_command("show_value")
    await bench.pilot.pause()
    await bench.settled()


async def trace(bench: Debugger) -> None:
    log = bench.session.trace
    if not len(log):
        for count, told in enumerate(("total is 5", "something else"), 1):
            record = TraceRecord(
                number=log.new_number(),
                breakpoint=3,
                count=count,
                time=1.0,
                thread="MainThread",
                text=told,
            )
            log.append(record)
        bench.session.publish(TraceProduced(last=log.last_number), "program")
    bench.screen.focus_pane("trace")
    assert bench.screen.trace is not None
    bench.screen.trace.set_filter("")
    bench.screen.trace.take_over()


async def filtered_trace(bench: Debugger) -> None:
    await trace(bench)
    bench.screen.action_command("search")
    await bench.pilot.pause()
    await bench.press(*"total", "enter")


async def searched(bench: Debugger) -> None:
    bench.screen.focus_pane("source")
    bench.screen.action_command("search")
    await bench.pilot.pause()
    await bench.press("x", "enter")
    bench.screen.source.move_cursor(9)  # one that the program breaks at


PLACES: dict[str, Do] = {
    "source": pane("source"),
    "source with marks": searched,
    "variables": pane("variables", 1),
    "open variables": pane("variables", 2),
    "stack": pane("stack", 1),
    "breakpoints": breakpoints,
    "console": pane("console"),
    "trace": trace,
    "filtered trace": filtered_trace,
    "evaluate": evaluating,
    "stdin": typing,
    "search": command("search", text="x"),
    "line": command("go_to_line", text="7"),
    "choice": command("choose_key_map"),
    "form": command("break_on_function", text="main"),
    "value": read_value,
    "history": command("show_history"),
}


# What is to be seen after a key of a place's own


def closed(bench: Debugger, before: dict[str, Any]) -> bool:
    return bench.app.screen is bench.screen


def is_open(kind: type[Any]) -> Check:
    return lambda bench, before: isinstance(bench.app.screen, kind)


def differs(name: str) -> Check:
    return lambda bench, before: state(bench)[name] != before[name]


def evaluated(bench: Debugger, before: dict[str, Any]) -> bool:
    return ("input", "thing") in state(bench)["said"] and not line(bench).has_focus


EFFECTS: dict[tuple[str, str], Check] = {
    ("variables", "read"): is_open(PagerDialog),
    ("open variables", "read"): is_open(PagerDialog),
    ("open variables", "open"): differs("rows"),
    ("variables", "close"): differs("rows"),
    ("stack", "show"): lambda bench, before: bench.screen.view.selected == 1,
    ("stack", "copy"): lambda bench, before: "copied" in bench.status,
    ("breakpoints", "on, off"): differs("breakpoints"),
    ("breakpoints", "delete"): differs("breakpoints"),
    ("breakpoints", "go there"): lambda bench, before: bench.screen.source.cursor_line == 9,
    ("console", "evaluate"): lambda bench, before: line(bench).has_focus,
    ("filtered trace", "show all"): lambda bench, before: "something else" in state(bench)["text"],
    ("evaluate", "evaluate"): evaluated,
    ("evaluate", "back to the keys"): lambda bench, before: bench.screen.source.has_focus,
    ("evaluate", "complete"): lambda bench, before: line(bench).value == "things",
    ("evaluate", "earlier"): lambda bench, before: line(bench).value == "x + 1",
    ("evaluate", "search"): lambda bench, before: line(bench).aid.is_searching,
    ("evaluate", "new line"): lambda bench, before: line(bench).value == "thing\n",
    ("evaluate", "program's input"): lambda bench, before: bench.screen.console.mode == "stdin",
    ("stdin", "send the line"): lambda bench, before: ("input", "text\n") in before["sent"],
    ("stdin", "back to the keys"): lambda bench, before: bench.screen.source.has_focus,
    ("stdin", "end of input"): lambda bench, before: ("end", "") in before["sent"],
    ("stdin", "interrupt"): lambda bench, before: "reaches it" in bench.status,
    ("stdin", "evaluate"): lambda bench, before: bench.screen.console.mode == "evaluate",
    ("search", "accept"): lambda bench, before: (
        closed(bench, before) or bench.screen.source.cursor_line != before["line"]
    ),
    ("line", "accept"): lambda bench, before: bench.screen.source.cursor_line == 7,
    ("choice", "select, or type its key"): closed,
    ("choice", "choose"): differs("cursor"),
    ("form", "save"): lambda bench, before: len(list(bench.session.breakpoints.registry)) > 0,
    ("form", "cancel"): closed,
    ("form", "other field"): differs("focused"),
    ("value", "search"): is_open(PromptDialog),
    ("value", "wrap"): lambda bench, before: not bench.app.screen.view.wraps,  # type: ignore[attr-defined]
    ("value", "copy"): lambda bench, before: "copied" in bench.status,
    ("history", "other stop"): differs("cursor"),
    ("history", "first, last"): differs("cursor"),
    ("history", "mark"): differs("text"),
    ("history", "other list"): differs("focused"),
    ("history", "open"): closed,
    ("history", "report"): lambda bench, before: bench.app.screen is not before["screen"],
}
"""By the place and the word; ``before`` is what was so before the key."""

SHARED: dict[str, Check] = {
    "cancel": closed,
    "close": closed,
    "accept": closed,
    "(Pdb)": lambda bench, before: bench.app.screen is not before["screen"],
}


def state(bench: Debugger) -> dict[str, Any]:
    top = bench.app.screen
    return {
        "screen": top,
        "focused": top.focused,
        "cursor": getattr(top.focused, "cursor", None),
        "line": bench.screen.source.cursor_line,
        "text": "\n".join(screen_rows(bench.app)),
        "rows": [row.key for row in bench.screen.variables.rows],
        "breakpoints": [(each.number, each.enabled) for each in bench.session.breakpoints.registry],
        "said": [(each.category, each.text) for each in bench.session.output],
        "sent": bench.sent,  # type: ignore[attr-defined]
    }


# The test


async def go_back(bench: Debugger) -> None:
    """As at first: no dialog, nothing typed."""
    bench.app.put_on_top(bench.screen)
    await bench.pilot.pause()
    line(bench).aid.close()
    line(bench).put("")
    bench.screen.console.mode = "evaluate"
    bench.screen.action_leave()
    await bench.settled()


async def names_at(bench: Debugger, place: str) -> list[Named]:
    await PLACES[place](bench)
    await bench.settled()
    return list(bar(bench).named)


async def check(bench: Debugger, place: str, named: Named, given: Given) -> None:
    """Press each key of a hint, and see that it did what the hint says."""
    what = f"{named.shown} {named.word} at {place} in the map {bench.screen.key_map.name}"
    if named.command:
        (way,) = named.ways
        given.clear()
        await bench.press(*way)
        if not given and "again: " in bench.status:  # it asks, where nobody can take it back
            await bench.press(*way)
        assert given == [named.command], what
        if given.run and named.command not in ENDS_THE_TEST:
            assert "warning" not in severity(bench), (what, bench.status)
        return
    effect = EFFECTS.get((place, named.word)) or SHARED.get(named.word)
    assert effect is not None, f"no test knows what is to be seen: {what}"
    if len(named.ways) == 1:
        before = state(bench)
        await bench.press(*named.ways[0])
        await bench.until(lambda: effect(bench, before), what)
        return
    did: set[tuple[str, ...]] = set()
    for way in named.ways * 2:  # the first may have nowhere to go
        before = state(bench)
        await bench.press(*way)
        await bench.settled()
        if effect(bench, before):
            did.add(way)
    assert did == set(named.ways), what


def severity(bench: Debugger) -> str:
    hint = bench.screen.status._hint
    return hint[1] if hint is not None else ""


@asynccontextmanager
async def stopped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Debugger]:
    """The debugger at its third stop; what it sends to the program is kept."""
    sent: list[tuple[str, str]] = []
    async with debugger(folder, two_frames(folder), size=(200, 50)) as bench:
        bench.sent = sent  # type: ignore[attr-defined]
        terminal = bench.session.terminal_io
        monkeypatch.setattr(console_commands, "_has_stdin", lambda ui: True)
        monkeypatch.setattr(terminal, "send_input", lambda text: sent.append(("input", text)))
        monkeypatch.setattr(terminal, "send_end_of_input", lambda: sent.append(("end", "")))
        for _ in range(2):
            bench.screen.action_command("step_over")
            await bench.settled()
        yield bench


async def check_again(bench: Debugger, place: str, first: Named, given: Given) -> None:
    """The same where other keys of the place may have changed it."""
    await go_back(bench)
    found = await names_at(bench, place)
    named = next((each for each in found if each.word == first.word), None)
    assert named is not None, (first, place, bench.screen.key_map.name, found)
    bench.sent.clear()  # type: ignore[attr-defined]
    await check(bench, place, named, given)


@pytest.mark.full
async def test_every_key_that_the_bar_names_does_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: Given
) -> None:
    async with stopped(tmp_path, monkeypatch) as bench:
        for place in PLACES:
            for named in await names_at(bench, place):
                await check_again(bench, place, named, given)
            await go_back(bench)


@pytest.mark.full
async def test_every_key_map_names_keys_that_give_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: Given
) -> None:
    """What a command then does is shown above, and so are keys that all maps share."""
    known: dict[tuple[str, str], object] = {}
    async with stopped(tmp_path, monkeypatch) as bench:
        for key_map in KEY_MAPS:
            bench.app.set_key_map(key_map)
            for place in PLACES:
                found = await names_at(bench, place)
                given.run = False
                for named in found:
                    if named.command:
                        await check(bench, place, named, given)
                given.run = True
                for named in found:
                    ways = known.setdefault((place, named.word), named.ways)
                    if not named.command and named.ways != ways:
                        await check_again(bench, place, named, given)
                await go_back(bench)


async def test_marks_of_a_search_stand_behind_what_makes_the_program_go(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        words = [named.word for named in await names_at(bench, "source with marks")]
        assert words[:5] == ["continue", "over", "into", "out", "next match"]
        await bench.press("escape")
        await bench.settled()
        assert "next match" not in [named.word for named in bar(bench).named]


async def test_where_letters_are_text_no_letter_is_named(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        for place in ("evaluate", "stdin", "search", "line", "form"):
            named = await names_at(bench, place)
            assert isinstance(bench.app.screen.focused, Input)
            keys = {press for each in named for way in each.ways for press in way}
            assert keys and not [key for key in keys if len(key) == 1], place
            await go_back(bench)
