"""A screen to show a dialog on, and what the dialog gave."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Static

from tests.support.screens import send_keys
from tuidbg.tui.toolkit.widgets.safe_screens import LastingApp

SIZES = [(140, 40), (80, 24), (60, 15)]
OPEN = object()
"""Stands for the answer as long as there is none."""


class Bench(LastingApp[None]):
    """Something below, a dialog above it, and what the dialog gave."""

    def __init__(self) -> None:
        super().__init__()
        self.animation_level = "none"
        self.answer: object = OPEN

    def compose(self) -> ComposeResult:
        yield Static("below")

    def ask(self, dialog: ModalScreen[Any]) -> None:
        self.answer = OPEN

        def take(answer: object) -> None:
            self.answer = answer

        self.push_screen(dialog, take)


@asynccontextmanager
async def bench(
    dialog: ModalScreen[Any] | None = None, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Bench, Pilot[None]]]:
    app = Bench()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        if dialog is not None:
            app.ask(dialog)
            await pilot.pause()
        yield app, pilot


def text_of(app: LastingApp[None], selector: str) -> str:
    return str(app.screen.query_one(selector, Static).render())


async def type_in(pilot: Pilot[None], text: str) -> None:
    send_keys(pilot.app, *text)
    await pilot.pause()
