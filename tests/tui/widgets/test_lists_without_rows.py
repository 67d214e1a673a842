"""Every list view accepts its keys without rows, and with one row."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.events import Key

import tuidbg.tui
from tuidbg.tui.toolkit.widgets.rows import ListRow, RowsPane

MOVES = ("up", "down", "home", "end", "pageup", "pagedown", "enter")


def panes(kind: type[RowsPane] = RowsPane) -> Iterator[type[RowsPane]]:
    yield kind
    for each in kind.__subclasses__():
        yield from panes(each)


def all_panes() -> list[type[RowsPane]]:
    for found in pkgutil.walk_packages(tuidbg.tui.__path__, "tuidbg.tui."):
        importlib.import_module(found.name)
    return sorted({each for each in panes() if each.__module__.startswith("tuidbg.")}, key=repr)


def make(kind: type[RowsPane]) -> RowsPane:
    """A pane; what its maker asks for beside that is a function that does nothing."""
    needed = [
        each
        for each in inspect.signature(kind).parameters.values()
        if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD
    ]
    return kind(*[lambda *args: False for _ in needed])


def keys_of(pane: RowsPane) -> list[str]:
    """The moves, and all keys that the pane binds itself."""
    bound = [key for key, _ in pane._bindings]
    return [*dict.fromkeys([*MOVES, *bound, *"dcxe", "space", "delete"])]


class Bench(App[None]):
    def __init__(self, pane: RowsPane) -> None:
        super().__init__()
        self.pane = pane

    def compose(self) -> ComposeResult:
        yield self.pane


@pytest.mark.parametrize("kind", all_panes(), ids=lambda kind: kind.__name__)
async def test_a_list_accepts_its_keys_whatever_it_contains(kind: Any) -> None:
    app = Bench(make(kind))
    async with app.run_test(size=(60, 8)) as pilot:
        pane = app.pane
        pane.focus()
        for rows in ([], [ListRow("a", (("a", "name"),))], []):
            pane.set_rows(rows)
            pane.cursor = -1  # "the last of none"
            for key in keys_of(pane):
                pane.post_message(Key(key, key if len(key) == 1 else None))
            await pilot.pause()
            assert pane.cursor == 0
            assert pane.cursor_row == (rows[0] if rows else None)
