"""Pressing each key that the bar of a dialog names, one by one, and seeing what it changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from tests.support.screens import screen_rows, send_keys
from tests.support.sessions import until
from tuidbg.tui.toolkit.keys.key_reader import Named
from tuidbg.tui.toolkit.widgets.key_bar import KeyBar
from tuidbg.tui.toolkit.widgets.rows import RowsPane

Open = Callable[[], Awaitable[None]]
"""Opens a dialog anew, whatever the last key has left, and waits until it is as it stays."""


def state_of_all(app: App[Any]) -> tuple[Any, ...]:
    """All that a key of a dialog could change."""
    top = app.screen
    focused = top.focused
    return (
        tuple(app.screen_stack),
        focused,
        getattr(focused, "cursor", None),
        getattr(focused, "value", None),
        focused.scroll_offset if focused is not None else None,
        [pane.cursor_key for pane in top.query(RowsPane)],
        "\n".join(screen_rows(app)),
    )


async def check_keys(
    app: App[Any], pilot: Pilot[Any], open_it: Open, *, idle: str = ""
) -> list[str]:
    """Press each key that the bar names; gives the words of those that did something.

    Of keys that go two ways the first may have nowhere to go where the dialog opens; those with the
    word ``idle`` have nowhere to go at all.
    """
    await open_it()
    hints: list[Named] = list(app.screen.query_one(KeyBar).named)
    for named in hints:
        await open_it()
        first = state_of_all(app)
        if len(named.ways) == 1:
            send_keys(app, *named.ways[0])
            await until(lambda: state_of_all(app) != first, str(named), 20.0)  # noqa: B023
            continue
        for way in named.ways * 2:
            send_keys(app, *way)
            await pilot.pause()
            if state_of_all(app) != first:
                break
        else:
            assert named.word == idle, named
    return [named.word for named in hints]
