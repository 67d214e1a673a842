"""The console pane: what it shows, follows, selects, and what its input line asks for."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from rich.color import Color
from textual import events, on
from textual.app import App, ComposeResult
from textual.geometry import Offset, Region
from textual.message import Message
from textual.pilot import Pilot
from textual.selection import SELECT_ALL, Selection

from tuidbg.session.core.output import OutputBuffer
from tuidbg.tui.panes.console.console_log import ConsoleLog
from tuidbg.tui.panes.console.console_pane import ConsoleInput, ConsolePane


class ConsoleApp(App[None]):
    """A screen with nothing but the pane; keeps what the pane asks for."""

    def __init__(self) -> None:
        super().__init__()
        self.pane = ConsolePane()
        self.buffer = OutputBuffer(max_lines=1000)
        self.asked: list[Message] = []
        self.given_back: list[bool] = []
        """Whether there was an answer, each time that the line gave the keys back."""

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        self.pane.show(self.buffer)
        self.line.give_back = lambda *, answered: self.given_back.append(answered)

    @on(ConsoleInput.EvaluateRequested)
    @on(ConsoleInput.HelpRequested)
    @on(ConsoleInput.CompletionRequested)
    @on(ConsoleInput.InputSubmitted)
    @on(ConsoleInput.EndOfInputRequested)
    @on(ConsoleInput.InterruptRequested)
    def keep(self, message: Message) -> None:
        self.asked.append(message)

    @property
    def log_view(self) -> ConsoleLog:
        return self.pane.query_one(ConsoleLog)

    @property
    def line(self) -> ConsoleInput:
        return self.pane.query_one(ConsoleInput)

    @property
    def shown(self) -> list[str]:
        """The rows of the log as they stand on the screen."""
        log = self.log_view
        return [log.render_line(y).text.rstrip() for y in range(log.size.height)]


class Bench:
    """The app, its pilot and the things a test does all the time."""

    def __init__(self, app: ConsoleApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    async def say(self, category: str, text: str) -> None:
        self.app.buffer.feed(category, text)
        self.app.pane.output_changed()
        while self.app.log_view._version != self.app.buffer.version:
            await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def paste(self, text: str) -> None:
        self.app.line.post_message(events.Paste(text))
        await self.pilot.pause()

    @property
    def asked(self) -> list[tuple[str, str]]:
        """Returns what was asked since the last time, as pairs of kind and text."""
        asked = [
            (
                type(message).__name__,
                getattr(message, "expression", "") or getattr(message, "text", ""),
            )
            for message in self.app.asked
        ]
        self.app.asked.clear()
        return asked


@asynccontextmanager
async def console(width: int = 40, height: int = 7) -> AsyncIterator[Bench]:
    app = ConsoleApp()
    async with app.run_test(size=(width, height)) as pilot:
        await pilot.pause()
        yield Bench(app, pilot)


# -- the lines


@pytest.mark.full
async def test_who_speaks_is_told_apart() -> None:
    async with console(height=12) as bench:
        for category, text in [
            ("terminal", "program"),
            ("stdout", "out"),
            ("stderr", "err"),
            ("console", "debugger"),
            ("important", "look here"),
            ("input", "x"),
            ("input", "y"),
            ("result", "[1,\n 2]"),
            ("error", "NameError\nmore"),
        ]:
            await bench.say(category, text + "\n")
        assert bench.app.shown == [
            "  program",
            "  out",
            "│ err",
            "· debugger",
            "▲ look here",
            "› x",
            "› y",
            "= [1,",
            "┊  2]",
            "✗ NameError",
            "┊ more",
        ]


async def test_who_speaks_has_a_colour() -> None:
    async with console(height=12) as bench:
        await bench.say("terminal", "program\n")
        await bench.say("result", "5\n")
        await bench.say("error", "NameError\n")
        colours = [
            next(s.style.color for s in bench.app.log_view.render_line(y) if s.style)
            for y in range(3)
        ]
        assert len(set(colours)) == 3


async def test_text_of_the_program_is_no_markup() -> None:
    async with console() as bench:
        text = "[bold red]x[/] [@click=app.bell]y[/]\\["
        await bench.say("terminal", text + "\n")
        assert bench.app.shown[0] == "  " + text[:37]


async def test_colours_of_the_program_are_kept() -> None:
    async with console() as bench:
        await bench.say("terminal", "\x1b[1;31mred\x1b[0m plain\n")
        base = bench.app.log_view.rich_style
        styles = {
            segment.text: segment.style
            for segment in bench.app.log_view.render_line(0)
            if segment.style is not None
        }
        red = styles["red"]
        assert red.bold
        assert red.color == Color.from_ansi(1)
        assert styles[" plain"].color == base.color


async def test_long_lines_are_wrapped() -> None:
    async with console(width=13) as bench:
        await bench.say("stderr", "0123456789abcdef漢字\n")
        assert bench.app.shown[:3] == ["│ 0123456789", "│ abcdef漢字", ""]
        await bench.pilot.resize_terminal(12, 7)
        await bench.pilot.pause()
        assert bench.app.shown[:4] == ["│ 012345678", "│ 9abcdef漢", "│ 字", ""]


async def test_a_prompt_is_shown_and_completed_in_place() -> None:
    async with console() as bench:
        await bench.say("terminal", "Name: ")
        assert bench.app.shown[:2] == ["  Name:", ""]
        await bench.say("terminal", "Ada\r\nHello\r\n")
        assert bench.app.shown[:3] == ["  Name: Ada", "  Hello", ""]
        await bench.say("terminal", "\r10%")
        await bench.say("terminal", "\r99%")
        assert bench.app.shown[:3] == ["  Name: Ada", "  Hello", "  99%"]


@pytest.mark.full
async def test_the_end_is_followed() -> None:
    async with console() as bench:
        for i in range(20):
            await bench.say("terminal", f"line {i}\n")
        assert bench.app.shown == [f"  line {i}" for i in range(14, 20)]
        assert bench.app.log_view.following


@pytest.mark.full
async def test_scrolled_up_the_view_stays_and_says_what_came() -> None:
    async with console() as bench:
        await bench.say("terminal", "".join(f"line {i}\n" for i in range(20)))
        bench.app.pane.focus_log()
        await bench.press("up", "up")
        assert bench.app.shown == [f"  line {i}" for i in range(12, 18)]
        await bench.say("terminal", "more\n")
        assert bench.app.shown[:-1] == [f"  line {i}" for i in range(12, 17)]
        assert bench.app.shown[-1] == "  line 17             1 new line · End"
        await bench.say("terminal", "more\n" * 1000)
        # the lines looked at were dropped: the oldest that are left, and how many are gone
        assert bench.app.shown[0] == "  … 21 earlier lines dropped"
        assert bench.app.shown[-1].endswith("1,001 new lines · End")
        await bench.press("end")
        assert bench.app.shown == ["  more"] * 6
        await bench.say("terminal", "last\n")
        assert bench.app.shown[-1] == "  last"


async def test_scrolled_up_the_view_stays_while_older_lines_go() -> None:
    async with console() as bench:
        await bench.say("terminal", "".join(f"line {i}\n" for i in range(1000)))
        bench.app.pane.focus_log()
        await bench.press("pageup")
        before = bench.app.shown
        await bench.say("terminal", "".join(f"more {i}\n" for i in range(500)))
        assert bench.app.buffer.dropped == 500
        assert bench.app.shown[:-1] == before[:-1]


@pytest.mark.full
async def test_the_hint_can_be_clicked() -> None:
    async with console() as bench:
        await bench.say("terminal", "".join(f"line {i}\n" for i in range(20)))
        bench.app.pane.focus_log()
        await bench.press("home")
        await bench.say("terminal", "more\n")
        await bench.pilot.click(ConsoleLog, offset=(35, 5))
        await bench.pilot.pause()
        assert bench.app.shown[-1] == "  more"


@pytest.mark.full
async def test_keys_scroll_the_lines() -> None:
    async with console() as bench:
        await bench.say("terminal", "".join(f"line {i}\n" for i in range(20)))
        bench.app.pane.focus_log()
        await bench.press("home")
        assert bench.app.shown[0] == "  line 0"
        await bench.press("down")
        assert bench.app.shown[0] == "  line 1"
        await bench.press("pagedown")
        assert bench.app.shown[0] == "  line 6"
        await bench.press("pageup")
        assert bench.app.shown[0] == "  line 1"
        bench.app.pane.focus_input()
        await bench.press("pagedown")
        assert bench.app.shown[0] == "  line 6"
        await bench.press("pageup")
        assert bench.app.shown[0] == "  line 1"


@pytest.mark.full
async def test_the_view_keeps_its_line_when_the_width_changes() -> None:
    async with console(width=40, height=7) as bench:
        await bench.say("terminal", "".join(f"line {i} " + "x" * 40 + "\n" for i in range(50)))
        bench.app.pane.focus_log()
        await bench.press("home", *["pagedown"] * 4)
        top = re.sub(r"\D", "", bench.app.shown[0])
        assert top
        await bench.pilot.resize_terminal(25, 7)
        await bench.pilot.pause()
        assert bench.app.shown[0].startswith(f"  line {top} ")
        await bench.press("end")
        assert bench.app.log_view.following
        await bench.pilot.resize_terminal(60, 9)
        await bench.pilot.pause()
        assert bench.app.shown[-1].startswith("  line 49 ")


@pytest.mark.full
async def test_only_changed_cells_are_painted() -> None:
    async with console(width=40, height=7) as bench:
        log = bench.app.log_view
        bench.app.pane.focus_log()
        await bench.say("terminal", "".join(f"line {i}\n" for i in range(3, 20)))
        painted: dict[int, int] = {}
        refresh = log.refresh

        def watch(*regions: Region, **options: bool) -> ConsoleLog:
            assert regions, "the whole pane is painted"
            painted.update({region.y: region.width for region in regions})
            return refresh(*regions, **options)

        log.refresh = watch  # type: ignore[method-assign]
        # All moves up by a row, of which one cell differs.
        await bench.say("terminal", "line 20\n")
        assert painted == {0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 5: 2}
        painted.clear()
        await bench.press("home")
        painted.clear()
        await bench.say("terminal", "below\n")
        assert set(painted) == {5}, "only the hint"
        painted.clear()
        await bench.say("terminal", "")
        assert not painted
        log.refresh = refresh  # type: ignore[method-assign]


async def test_a_flood_is_painted_now_and_then_and_its_end_always() -> None:
    async with console() as bench:
        log = bench.app.log_view
        updates = 0
        update = log.update_lines

        def count() -> None:
            nonlocal updates
            updates += 1
            update()

        log.update_lines = count  # type: ignore[method-assign]
        for i in range(2000):
            bench.app.buffer.feed("terminal", f"line {i}\n")
            bench.app.pane.output_changed()
        assert updates <= 2
        await bench.say("terminal", "last\n")
        assert bench.app.shown[-1] == "  last"


@pytest.mark.full
async def test_lines_dropped_since_the_last_look_do_no_harm() -> None:
    async with console() as bench:
        await bench.say("terminal", "漢字" * 30 + "\n" + "line\n" * 50)
        bench.app.pane.focus_log()
        await bench.press("home")
        bench.app.buffer.feed("terminal", "new\n" * 2000)
        log = bench.app.log_view
        log.refresh()
        await bench.press("down", "pagedown")
        await bench.pilot.resize_terminal(30, 9)
        await bench.pilot.pause()
        assert log.get_selection(SELECT_ALL)
        bench.app.buffer.clear()
        log.refresh()
        await bench.press("home", "end")
        await bench.say("terminal", "after\n")
        assert bench.app.shown[0] == "  after"


@pytest.mark.full
async def test_a_very_long_line_is_wrapped_and_scrolled() -> None:
    async with console() as bench:
        await bench.say("terminal", "".join(f"{i:05}" for i in range(13_000)) + "\nend\n")
        bench.app.pane.focus_log()
        await bench.press("home")
        assert bench.app.shown[0] == "  " + "".join(f"{i:05}" for i in range(8))[:37]
        await bench.press("end", "pageup")
        assert "12930" in bench.app.shown[0]


async def test_clear_forgets_the_lines() -> None:
    async with console() as bench:
        await bench.say("terminal", "line\n" * 2000)
        bench.app.pane.clear()
        await bench.pilot.pause()
        assert bench.app.shown == [""] * 6
        await bench.say("terminal", "new\n")
        assert bench.app.shown[0] == "  new"


async def test_another_buffer_can_be_shown() -> None:
    async with console() as bench:
        await bench.say("terminal", "old\n")
        bench.app.buffer = OutputBuffer()
        bench.app.pane.show(bench.app.buffer)
        await bench.say("terminal", "new\n")
        assert bench.app.shown[:2] == ["  new", ""]


async def test_lines_fed_before_the_pane_is_there_are_shown() -> None:
    app = ConsoleApp()
    app.buffer.add("console", "early")
    app.pane.show(app.buffer)
    app.pane.output_changed()
    async with app.run_test(size=(40, 7)) as pilot:
        await pilot.pause()
        assert app.shown[0] == "· early"


@pytest.mark.full
@pytest.mark.parametrize(
    ("selection", "text"),
    [
        (Selection(Offset(2, 0), Offset(7, 0)), "first"),
        (Selection(Offset(4, 0), Offset(5, 3)), "rst line\n0123456789abcdefghi\nsec"),
        (Selection(None, Offset(6, 1)), "first line\n0123"),
        (Selection(Offset(4, 2), None), "defghi\nsecond"),
        (SELECT_ALL, "first line\n0123456789abcdefghi\nsecond"),
        (Selection(Offset(0, 90), None), None),
    ],
)
async def test_selected_text_has_no_gutter_and_no_wrapping(
    selection: Selection, text: str | None
) -> None:
    async with console(width=14) as bench:
        await bench.say("terminal", "first line\n\x1b[31m0123456789\x1b[0mabcdefghi\n")
        await bench.say("stderr", "second\n")
        selected = bench.app.log_view.get_selection(selection)
        assert (selected[0] if selected else None) == text


@pytest.mark.full
async def test_the_mouse_selects() -> None:
    async with console() as bench:
        await bench.say("terminal", "hello world\nnext line\n")
        await bench.pilot.mouse_down(ConsoleLog, offset=(8, 0))
        await bench.pilot.hover(ConsoleLog, offset=(5, 1))
        await bench.pilot.mouse_up(ConsoleLog, offset=(5, 1))
        await bench.pilot.pause()
        selected = bench.app.screen.get_selected_text()
        assert selected is not None
        assert selected.startswith("world\nnex")


# -- the input line


async def test_enter_asks_for_an_evaluation() -> None:
    async with console() as bench:
        bench.app.pane.focus_input()
        await bench.press("enter")
        assert bench.asked == []
        await bench.press("x", "+", "1", "enter")
        assert bench.asked == [("EvaluateRequested", "x+1")]
        assert bench.app.line.value == ""


async def test_history_that_is_asked_for_before_it_is_read() -> None:
    async with console() as bench:
        bench.app.pane.focus_input()
        await bench.press("up", "up")
        bench.app.pane.history = ["first", "second", "third"]
        assert bench.app.line.value == "second"
        await bench.press("down")
        assert bench.app.line.value == "third"


@pytest.mark.full
async def test_history() -> None:
    async with console() as bench:
        bench.app.pane.history = ["first"]
        bench.app.pane.focus_input()
        await bench.press("a", "enter", "b", "enter", "b", "enter", "c")
        assert bench.app.pane.history == ["first", "a", "b"]
        seen = []
        for key in ["up", "up", "up", "up", "down", "down", "down", "down"]:
            await bench.press(key)
            seen.append(bench.app.line.value)
        assert seen == ["b", "a", "first", "first", "a", "b", "c", "c"]
        await bench.press("up", "up", "enter")
        assert bench.asked[-1] == ("EvaluateRequested", "a")
        await bench.press("up")
        assert bench.app.line.value == "a"


@pytest.mark.full
async def test_one_key_switches_to_the_programs_input() -> None:
    async with console() as bench:
        bench.app.pane.focus_input()
        await bench.press("ctrl+t")
        assert bench.app.pane.mode == "stdin"
        await bench.press("h", "i", "enter", "enter")
        assert bench.asked == [("InputSubmitted", "hi"), ("InputSubmitted", "")]
        await bench.press("x", "ctrl+d", "ctrl+c")
        assert bench.asked == [("EndOfInputRequested", ""), ("InterruptRequested", "")]
        assert bench.app.line.value == "x"
        await bench.press("up")
        assert bench.app.line.value == "x"
        await bench.press("ctrl+t", "enter")
        assert bench.asked == [("EvaluateRequested", "x")]


@pytest.mark.full
async def test_control_keys_while_evaluating() -> None:
    async with console() as bench:
        pane = bench.app.pane
        pane.focus_input()
        await bench.press("ctrl+c", "ctrl+d")
        assert bench.asked == []
        await bench.press("a", "b", "home", "ctrl+d")
        assert bench.app.line.value == "b"
        pane.set_busy(True, "evaluating x")
        await bench.press("ctrl+c")
        assert bench.asked == [("InterruptRequested", "")]
        await bench.press("delete")
        assert bench.app.line.placeholder == "evaluating x · ^C stops"
        pane.set_busy(False)
        assert "evaluating" not in bench.app.line.placeholder
        await bench.press("1", "enter")
        assert bench.asked == [("EvaluateRequested", "1")]


async def test_the_programs_input_works_while_evaluating() -> None:
    async with console() as bench:
        bench.app.pane.set_busy(True)
        bench.app.pane.mode = "stdin"
        bench.app.pane.focus_input()
        await bench.press("y", "enter")
        assert bench.asked == [("InputSubmitted", "y")]


async def test_escape_leaves_the_line_and_keeps_its_text() -> None:
    async with console() as bench:
        bench.app.pane.focus_input()
        await bench.press("x", "escape")
        assert bench.app.given_back == [False]
        assert bench.app.line.value == "x"


@pytest.mark.parametrize("key", ["enter", "i"])
async def test_from_the_lines_to_the_input(key: str) -> None:
    async with console() as bench:
        bench.app.pane.focus_log()
        await bench.press(key)
        assert bench.app.focused is bench.app.line
        assert bench.app.line.value == ""


@pytest.mark.full
async def test_pasted_statements_are_evaluated_as_they_are() -> None:
    async with console() as bench:
        bench.app.pane.focus_input()
        await bench.paste("    for i in range(3):\r\n\tprint(i)\r\n    print('end')\r\n")
        text = "    for i in range(3):\n\tprint(i)\n    print('end')"
        assert bench.app.line.value == text
        await bench.press("enter")
        assert bench.asked == [("EvaluateRequested", text)]
        await bench.paste("  if x:\n    y = 1\n")
        await bench.press("enter")
        assert bench.asked == [("EvaluateRequested", "if x:\n  y = 1")]
        await bench.press("up")
        assert bench.app.line.value == "  if x:\n    y = 1"


async def test_pasted_lines_go_to_the_program() -> None:
    async with console() as bench:
        bench.app.pane.mode = "stdin"
        bench.app.pane.focus_input()
        await bench.press("x")
        await bench.paste("1\n2\nrest")
        assert bench.asked == [("InputSubmitted", "x1\n2")]
        assert bench.app.line.value == "rest"
        await bench.paste("\n")
        assert bench.asked == [("InputSubmitted", "rest")]
        assert bench.app.line.value == ""


async def test_pasted_controls_are_left_out() -> None:
    async with console() as bench:
        bench.app.pane.focus_input()
        await bench.paste("a\x1b[31mb\x00\x9bc")
        assert bench.app.line.value == "a[31mbc"
        bench.app.copy_to_clipboard("one\ntwo")
        await bench.press("ctrl+v")
        assert bench.app.line.value == "a[31mbcone\ntwo"


@pytest.mark.full
@pytest.mark.parametrize(("width", "height"), [(60, 6), (140, 12), (10, 2), (3, 1)])
async def test_any_size(width: int, height: int) -> None:
    async with console(width, height) as bench:
        await bench.say("terminal", "".join(f"line {i} 漢字\n" for i in range(30)))
        assert len(bench.app.shown) == max(1, height - 1)
        bench.app.pane.focus_log()
        await bench.press("up", "home", "end")
        assert bench.app.log_view.following
