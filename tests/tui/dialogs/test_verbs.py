"""The key bars of all dialogs: one set of verbs, and one bar at a time."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.screen import ModalScreen, Screen

from tests.support.screens import SIZES, counting, debugger, screen_rows
from tests.tui.help.test_places import screens
from tuidbg.tui.toolkit.dialogs.form import FormDialog
from tuidbg.tui.toolkit.widgets.key_bar import KeyBar

ASKING = {
    *("AgreementDialog", "NotesDialog", "OptionsDialog", "PromptDialog", "QuestionDialog"),
    "SetValueDialog",
}
"""Dialogs that ask for one thing, besides the forms: Esc cancels it."""

OTHER_ESCAPES = {"clear marks", "stop"}
"""Words for an Esc that leaves the dialog open, or does something to the program."""

NOUNS = {"changes", "commands", "keys", "others", "ranks", "topics", "columns", "rows"}
"""Words of hints that end as a verb of the third person would."""


def dialogs() -> list[type[Screen[object]]]:
    return [cls for cls in screens() if issubclass(cls, ModalScreen)]


def hints_of(cls: type[Screen[object]]) -> Iterator[tuple[str, str]]:
    """The keys and words of the hints that are written in the module of a class."""
    for node in ast.walk(ast.parse(inspect.getsource(sys.modules[cls.__module__]))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            texts = [str(arg.value) for arg in node.args if isinstance(arg, ast.Constant)]
            if node.func.id == "Hint" and len(texts) > 1:
                yield texts[0], texts[1]


def test_escape_cancels_what_asks_and_closes_what_shows() -> None:
    found = dialogs()
    assert len(found) > 30  # it has looked
    for cls in found:
        words = {hint.word for hint in cls.HINTS if hint.keys == "escape"}  # type: ignore[attr-defined]
        is_asking = issubclass(cls, FormDialog) or cls.__name__ in ASKING
        assert words <= {"cancel" if is_asking else "close"}, cls
        written = {word for keys, word in hints_of(cls) if keys == "escape"}
        assert written <= {"cancel", "close", *OTHER_ESCAPES}, cls


def test_verbs_are_imperative() -> None:
    for cls in dialogs():
        for _, word in hints_of(cls):
            first = word.split()[0].strip(",")
            assert not first.endswith("s") or first in NOUNS or first == "pass", (cls, word)
            assert first.casefold() not in {"takes", "gives", "goes", "leaves"}


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
async def test_there_is_one_key_bar_at_a_time(size: tuple[int, int], tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path), size=size) as bench:
        for keys in (["g"], ["slash"], ["B"], ["ctrl+p"], ["question_mark"], ["f7"], ["ctrl+f"]):
            await bench.press(*keys)
            await bench.until(lambda: len(bench.app.screen_stack) > 1)
            (bar,) = bench.app.screen.query(KeyBar)
            shown = screen_rows(bench.app)
            assert bar.region.bottom == size[1], keys
            assert len(re.findall(r" Esc (?:close|cancel)\b", "\n".join(shown))) == 1, (keys, shown)
            below = [named.word for named in bench.screen.keys.named][:2]
            assert below and not any(all(word in row for word in below) for row in shown), keys
            bench.app.put_on_top(bench.screen)
            await bench.pilot.pause()
