"""Emoji that a program prints, on terminals that disagree how wide they are: nothing is shifted."""

from __future__ import annotations

from pathlib import Path

import pyte.screens
import pytest
from wcwidth import wcwidth

from tests.support.command import run_tuidbg
from tuidbg.tui.toolkit.drivers.renderer.grid import is_certain

pytestmark = [pytest.mark.real, pytest.mark.full]

PROGRAM = """\
for text in ("👨‍👩‍👧‍👦", "🇩🇪🇫🇷", "👍🏽👋🏿", "❤️☺️✈️", "1️⃣#️⃣", "🏳️‍🌈", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👩🏽‍💻", "\\x1b[32m👩\\x1b[31m\\u200d💻"):
    print("<" + text + ">")
    print(text * 50)
last = "👨‍👩‍👧‍👦 done"
print("fini" "shed")
"""  # noqa: E501


@pytest.mark.parametrize("cells", [0, 1, 2], ids=["as pyte has it", "narrow", "wide"])
def test_the_divider_stays_straight(
    cells: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if cells:
        monkeypatch.setattr(
            pyte.screens, "wcwidth", lambda char: wcwidth(char) if is_certain(char) else cells
        )
    (tmp_path / "emoji.py").write_text(PROGRAM, encoding="utf-8")
    with run_tuidbg(tmp_path, "-b", "5", "emoji.py") as terminal:
        terminal.wait_for(" paused ")
        terminal.key("c")
        terminal.wait_for("done'")
        terminal.key("c", "5", *"+" * 8)
        terminal.wait_for("finished")
        terminal.wait_for("<1")
        rows = range(38)
        column = min(x for x in range(140) if terminal.emulator.style(x, 3).data == "│")
        assert {terminal.emulator.style(column, y).data for y in rows} == {"│"}, terminal.text
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0
