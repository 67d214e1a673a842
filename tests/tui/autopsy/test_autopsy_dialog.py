"""The autopsy on the screen: its key, what it lists, and the source pane that follows it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from tests.support.autopsies import MadeAutopsy
from tests.support.screens import Debugger, debugger, screen_rows, shown_rows, shown_text
from tests.support.sessions import debugpy_session, until
from tests.tui.real_bench import real_debugger
from tuidbg.config.environments import NONE_ACTIVE
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.autopsy import NoException
from tuidbg.session.model.state import Status
from tuidbg.tui.app.app import TuidbgApp
from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.app.help.dialog import HelpDialog
from tuidbg.tui.features.autopsy.dialog import AutopsyDialog
from tuidbg.tui.toolkit.dialogs.box import FollowedPane


@asynccontextmanager
async def at_exception(
    folder: Path, size: tuple[int, int] = (140, 40)
) -> AsyncIterator[tuple[Debugger, MadeAutopsy]]:
    """The post office at its uncaught exception, with an autopsy made by hand."""
    async with debugger(folder, size=size) as bench:
        made = MadeAutopsy.put_into(bench.session, str(folder / "parcels.py"))
        await bench.go("c")
        await bench.until(lambda: "KeyError" in bench.status)
        yield bench, made


async def open_it(bench: Debugger) -> AutopsyDialog:
    await bench.press("e")
    await bench.until(lambda: isinstance(bench.app.screen, AutopsyDialog))
    await bench.pilot.pause()
    dialog = bench.app.screen
    assert isinstance(dialog, AutopsyDialog)
    return dialog


def text_of(pane: FollowedPane) -> str:
    return shown_text(pane)


@pytest.mark.full
@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 15)])
async def test_the_status_line_offers_it(size: tuple[int, int], tmp_path: Path) -> None:
    async with at_exception(tmp_path, size) as (bench, _):
        assert "e: autopsy" in bench.status[: size[0]]
        dialog = await open_it(bench)
        assert dialog.parts.cursor_key == ("frame", 1)  # the innermost of one's own


@pytest.mark.full
async def test_the_chain_the_group_and_the_frames(tmp_path: Path) -> None:
    async with at_exception(tmp_path) as (bench, _):
        dialog = await open_it(bench)
        rows = [row.strip() for row in shown_rows(dialog.parts)]
        for words in (
            "✗ KeyError: 'coach'",
            "note: the piano is too heavy",
            "↳ direct cause: ValueError: [b]no[/b] such kind",
            "↳ while handling: ExceptionGroup: on the way (3 sub-exceptions)",
            "not shown: 1 of the group",
            "raised from None (hides LookupError)",
            "│ TimeoutError: too late",
            "↳ while handling: OSError: <its __str__ raised>",
            "900 frames, innermost first",
            "! merge  heapq.py:300",
            "main  parcels.py:38  total = send(parcels)",
            "… 897 frames more",
        ):
            assert any(row.startswith(words) for row in rows), (words, rows)
        assert dialog.query_one("#box").border_title == "Uncaught KeyError"


async def test_a_frame_has_its_values_and_the_part_that_raised(tmp_path: Path) -> None:
    async with at_exception(tmp_path) as (bench, made):
        dialog = await open_it(bench)
        shown = text_of(dialog.details)
        assert "parcels = [\"Parcel('postcard')\"]  list [1]" in shown
        assert "'\\x1b[31m[b]piano[/b]'" in shown
        assert "could not be read: secret (repr raised ValueError)" in shown
        assert "… 2 more" in shown
        assert ("PRICES[parcel.kind]", "changed") in dialog.details.rows[1].pieces
        assert made.fetched == []
        await bench.press("down")
        await bench.until(lambda: "parcels = [1, 2, 3]" in text_of(dialog.details))
        assert made.fetched == [2]
        await bench.press("up", "down")
        await bench.pilot.pause()
        assert made.fetched == [2]


@pytest.mark.full
async def test_frames_of_libraries_are_one_row_until_they_are_unfolded(tmp_path: Path) -> None:
    async with at_exception(tmp_path) as (bench, made):
        report = made.report
        send = report.frames[1]
        external = [
            msgspec.structs.replace(
                send, index=number, function=f"inner_{number}", is_external=True
            )
            for number in (2, 3, 4)
        ]
        main = msgspec.structs.replace(report.frames[2], index=5)
        frames = (*report.frames[:2], *external, main)
        made.report = msgspec.structs.replace(report, frames=frames, total_frames=6)
        dialog = await open_it(bench)

        def rows() -> list[str]:
            found = [row.strip() for row in shown_rows(dialog.parts) if row.strip()]
            return [row.split("  ")[0] for row in found[found.index("6 frames, innermost first") :]]

        folded = ["! merge", "send", "▸ 3 frames of libraries", "main"]
        assert rows()[1:] == folded  # the one that raised is a library's, too
        await bench.press("down", "enter")
        assert rows()[3:8] == ["▾ 3 frames of libraries", "inner_2", "inner_3", "inner_4", "main"]
        await bench.press("down", "enter")
        await bench.until(lambda: not isinstance(bench.app.screen, AutopsyDialog))


async def test_an_exception_has_its_whole_message(tmp_path: Path) -> None:
    async with at_exception(tmp_path, (60, 15)) as (bench, _):
        dialog = await open_it(bench)
        await bench.press("home")
        await bench.press("tab")
        texts = ["".join(text for text, _ in row.pieces).strip() for row in dialog.details.rows]
        assert texts == [
            "KeyError",
            "'coach'",
            "and a second line",
            "Note",
            "the piano is too heavy",
            "Attributes",
            "weight = 400  int",
            "Raised at parcels.py:29",
            "price = PRICES[parcel.kind] * parcel.weight",
        ]
        await bench.press("end")
        assert "price = PRICES" in text_of(dialog.details)


@pytest.mark.full
async def test_the_source_pane_follows_and_comes_back(tmp_path: Path) -> None:
    async with at_exception(tmp_path) as (bench, _):
        source = bench.screen.source
        await bench.press("1", "up", "up")
        before = source.cursor_line
        await open_it(bench)
        assert source.cursor_line == 29
        await bench.press("down")
        assert source.cursor_line == 38
        await bench.press("escape")
        assert not isinstance(bench.app.screen, AutopsyDialog)
        assert source.cursor_line == before
        assert bench.screen.view.selected == 0


@pytest.mark.full
async def test_enter_looks_at_the_frame(tmp_path: Path) -> None:
    async with at_exception(tmp_path) as (bench, _):
        await open_it(bench)
        await bench.press("down", "enter")
        await bench.until(lambda: bench.screen.view.selected == 1)
        assert bench.screen.source.cursor_line == 38
        await open_it(bench)
        await bench.press("home", "enter")
        await bench.until(lambda: isinstance(bench.app.screen, DebugScreen))
        assert bench.screen.source.cursor_line == 29


@pytest.mark.full
async def test_one_click_looks_and_two_go_there(tmp_path: Path) -> None:
    async with at_exception(tmp_path) as (bench, _):
        dialog = await open_it(bench)
        row = next(y for y, t in enumerate(shown_rows(dialog.parts)) if "main" in t)
        await bench.click(dialog.parts, 8, row)
        assert bench.app.screen is dialog and dialog.parts.cursor_key == ("frame", 2)


@pytest.mark.full
@pytest.mark.parametrize("key", ["escape", "q", "e"])
async def test_it_can_be_left(key: str, tmp_path: Path) -> None:
    async with at_exception(tmp_path) as (bench, _):
        await open_it(bench)
        await bench.press(key)
        assert isinstance(bench.app.screen, DebugScreen)


@pytest.mark.full
async def test_where_there_is_no_exception(tmp_path: Path) -> None:
    """The key is greyed, and says why."""
    async with debugger(tmp_path) as bench:
        await bench.press("e")
        assert str(NoException()) in bench.status
        assert "e: autopsy" not in bench.status
        await bench.press("question_mark")
        assert isinstance(bench.app.screen, HelpDialog)
        await bench.type_text("autopsy")
        told = f"Not now: {NoException()}"
        await bench.until(lambda: told in "\n".join(screen_rows(bench.app)))


@pytest.mark.full
async def test_an_adapter_that_knows_no_more(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.go("c")
        await bench.until(lambda: "KeyError" in bench.status)
        assert "e: autopsy" in bench.status
        await bench.press("e")
        await bench.until(lambda: isinstance(bench.app.screen, AutopsyDialog))
        assert "KeyError" in "\n".join(screen_rows(bench.app))


@pytest.mark.full
@pytest.mark.real
async def test_on_debugpy(tmp_path: Path) -> None:
    """It is there before the program is gone."""
    program = tmp_path / "fails.py"
    program.write_text(
        "def half(number):\n    rest = number % 2\n    return {}[rest]\n"
        "try:\n    half(7)\nexcept KeyError as error:\n"
        "    raise ValueError('[b]odd[/b]') from error\n"
    )
    async with debugpy_session(tmp_path, program, stop_on_entry=False) as under_test:
        session = under_test.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session, cwd=str(tmp_path))
        async with app.run_test(size=(140, 40)) as pilot:
            await pilot.pause()
            await under_test.start()
            screen = app.screen
            assert isinstance(screen, DebugScreen)
            await until(lambda: "e: autopsy" in screen.status.text)
            await pilot.press("e")
            await until(lambda: isinstance(app.screen, AutopsyDialog))
            await pilot.pause()
            dialog = app.screen
            assert isinstance(dialog, AutopsyDialog)
            assert "✗ ValueError: [b]odd[/b]" in text_of(dialog.parts)
            assert "direct cause: KeyError: 1" in text_of(dialog.parts)
            await pilot.press("home", "down")
            await until(lambda: "return {}[rest]" in text_of(dialog.details))
            assert screen.source.cursor_line == 3
            await pilot.press("escape")
        await under_test.go(Resume.CONTINUE)


AFTERWARDS = """\
def inner(n):
    return {}[n]  #: here

def run(depth):
    return run(depth - 1) if depth else inner(7)

run(4)
"""


@pytest.mark.full
@pytest.mark.real
async def test_what_was_read_is_there_after_the_end(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, AFTERWARDS) as bench:
        await bench.go("c")
        await bench.until(lambda: "e: autopsy" in bench.status)
        await open_it(bench)
        await bench.press("escape", "c")
        await bench.until(lambda: bench.session.status is Status.TERMINATED)
        dialog = await open_it(bench)
        assert "✗ KeyError: 7" in text_of(dialog.parts)
        assert "n = 7" in text_of(dialog.details)
        await bench.press("end")
        words = "variables not read: the program has resumed"
        await bench.until(lambda: words in text_of(dialog.details))
        await bench.press("escape", "R")
        await bench.until(lambda: bench.session.status is Status.PAUSED, "the next run")
        await bench.press("c")
        await bench.until(lambda: "breakpoint 1" in bench.status)
        await bench.press("c")
        await bench.until(lambda: "e: autopsy" in bench.status)
        await bench.press("c")
        await bench.until(lambda: bench.session.status is Status.TERMINATED)
        await bench.press("e")
        assert "the program has ended, and none was looked at" in bench.status


@pytest.mark.real
async def test_a_module_that_is_missing_is_told_with_the_interpreter(tmp_path: Path) -> None:
    program = "first = 1\nsecond = 2  #: here\nimport no_such_module\n"
    async with real_debugger(tmp_path, program, python_from=NONE_ACTIVE) as bench:
        await bench.go("c")
        await bench.until(lambda: "autopsy" in bench.status)
        dialog = await open_it(bench)
        told = text_of(dialog.parts)
        assert f"not found by {sys.executable[:20]}" in told
        assert "which is tuidbg's own, as no environment is active" in told
