"""Programs that own the screen or read keys, in the terminal pane; all on the real debugpy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from textual import events

from tests.support.screens import SIZES, make_key
from tests.tui.terminal.terminal_bench import TerminalDebugger, terminal_debugger
from tuidbg.session.core.terminal.emulator import HISTORY_LINES
from tuidbg.session.model.state import Status
from tuidbg.tui.app.keys import input_queue as keys
from tuidbg.tui.features.terminal import program_terminal
from tuidbg.tui.features.terminal.program_terminal import ProgramTerminal
from tuidbg.tui.panes.console.console_pane import ConsoleInput

pytestmark = pytest.mark.real

CURSES = """
    import curses

    def main(screen):
        x, keys = 5, []
        while True:
            height, width = screen.getmaxyx()
            screen.erase()
            screen.box()
            screen.addstr(1, 2, f"size {width}x{height}, column {x}, {' '.join(keys[-3:])}")
            screen.addstr(3, x, "@")
            screen.refresh()
            key = screen.getch()
            if key == curses.KEY_RESIZE:
                continue
            keys.append(curses.keyname(key).decode())
            if key == ord("q"):
                return
            if key == ord("s"):
                stopped = True  #: here
            x += (key == curses.KEY_RIGHT) - (key == curses.KEY_LEFT)

    curses.wrapper(main)
    print("the game is over")
"""


async def pressed(bench: TerminalDebugger, *keys: str) -> None:
    """Keys that go to the program."""
    assert bench.screen.typing_pane is not None
    await bench.press(*keys)


@pytest.mark.full
async def test_a_curses_program_with_a_stop_in_the_middle(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, CURSES, stop_at="here") as bench:
        await bench.comes("column 5")
        width, height = bench.pane.size
        await bench.sees(f"size {width}x{height}")
        assert "Ctrl+] back to tuidbg" in bench.on_screen
        await pressed(bench, "right", "right", "left", "right", "f1", "n")
        await bench.sees("column 7, KEY_RIGHT KEY_F(1) n")
        await pressed(bench, "s")
        await bench.stops()
        await bench.until(lambda: bench.screen.body.maximised is None, "the panes")
        assert bench.screen.focused is bench.screen.source
        assert bench.session.stop is not None
        await bench.sees("x = 7")
        await bench.press("0")
        await bench.sees("column 7, KEY_RIGHT KEY_F(1) n")
        assert bench.screen.typing_pane is None
        await bench.press("0", "c")
        await bench.comes("column 7, KEY_F(1) n s")
        await pressed(bench, "q")
        await bench.ends()
        await bench.until(lambda: bench.screen.body.maximised is None, "the panes")
        assert bench.under_test.output("terminal") == "the game is over"


@pytest.mark.full
async def test_a_curses_program_is_told_of_a_new_size(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, CURSES) as bench:
        await bench.comes("size 140x37")
        await bench.pilot.resize_terminal(90, 24)
        await bench.sees("size 90x21")
        await bench.press("ctrl+right_square_bracket", "z")
        await bench.until(lambda: bench.pane.size.height < 15, "it is a pane among others")
        width, height = bench.pane.size
        await bench.sees(f"size {width}x{height}")


@pytest.mark.full
async def test_the_panes_are_as_they_were(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, CURSES, stop_at="here") as bench:
        await bench.press("6", "3", "z")
        await bench.comes("column 5")
        await pressed(bench, "s")
        await bench.stops()
        await bench.until(lambda: bench.screen.body.maximised == "stack", "the stack alone")
        assert bench.screen.body.bottom == "trace"
        assert bench.screen.focused is bench.screen.stack


@pytest.mark.full
async def test_one_key_takes_the_keys_back_and_can_be_sent_all_the_same(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, CURSES) as bench:
        await bench.comes("column 5")
        await bench.press("ctrl+right_square_bracket", "right")
        assert bench.screen.typing_pane is None
        await bench.sees("Enter types to the program")
        await bench.press("ctrl+right_square_bracket")
        await bench.sees("column 5, ^]")
        await pressed(bench, "right")
        await bench.sees("column 6, ^] KEY_RIGHT")
        await bench.press("ctrl+right_square_bracket", "escape")
        assert bench.screen.body.maximised is None
        await bench.press("0")
        await pressed(bench, "q")
        await bench.ends()


TEXTUAL = """
    from textual.app import App
    from textual.widgets import Button, Label

    class Small(App):
        BINDINGS = [("q", "quit", "Quit")]

        def compose(self):
            yield Label("nothing yet")
            yield Button("Press me")

        def on_resize(self, event):
            self.query_one(Label).update(f"size {event.size.width}x{event.size.height}")

        def on_button_pressed(self):
            pressed = True  #: here
            self.query_one(Label).update("it was clicked")

        def key_f9(self):
            self.query_one(Label).update("it was F9")

    Small().run()
    print("left")
"""


async def test_a_textual_program_gets_clicks_and_keys(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, TEXTUAL, stop_at="here") as bench:
        await bench.comes("Press me")
        await bench.sees("size 140x37")  # a click before that could be lost
        row = next(y for y, line in enumerate(bench.drawn.split("\n")) if "Press me" in line)
        await bench.until(lambda: bench.pane.mouse.mode == 1003, "it wants the mouse")
        await bench.click(bench.pane, 8, row)
        await bench.stops()
        await bench.until(lambda: bench.screen.body.maximised is None, "the panes")
        await bench.press("c")
        await bench.comes("it was clicked")
        await pressed(bench, "f9")
        await bench.sees("it was F9")
        await pressed(bench, "q")
        await bench.ends()
        assert bench.under_test.output("terminal").strip() == "left"
        assert bench.session.exit is not None and bench.session.exit.code == 0


PROMPT = """
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter

    session = PromptSession("ask> ", completer=WordCompleter(["parcel", "parrot"]))
    while (answer := session.prompt()) != "bye":
        print("you said", answer)  #: here
"""


@pytest.mark.full
async def test_prompt_toolkit_edits_a_line_and_completes(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, PROMPT, stop_at="here") as bench:
        await bench.comes("ask>")
        await pressed(bench, "w", "o", "d", "left", "r", "enter")
        await bench.stops()
        await bench.until(lambda: bench.screen.body.maximised is None, "the panes")
        await bench.press("c")
        await bench.comes("you said word")
        await pressed(bench, "p", "a", "r", "tab")
        await bench.sees("parrot")
        await pressed(bench, "c", "e", "l", "enter")
        await bench.stops()
        await bench.press("c")
        await bench.comes("you said parcel")
        await pressed(bench, "up", "up", "ctrl+u", "b", "y", "e", "enter")
        await bench.ends()
        assert "CPR" not in bench.under_test.console


GETPASS = """
    import getpass

    word = getpass.getpass("Password: ")
    print("letters:", len(word))
    again = input("name: ")
    print("hello", again)
    end = 1  #: here
"""


@pytest.mark.full
async def test_a_password_is_typed_in_the_terminal_and_seen_nowhere(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, GETPASS) as bench:
        await bench.comes("Password:")
        await bench.sees("something secret")
        await pressed(bench, "h", "u", "s", "h", "enter")
        await bench.until(lambda: "letters: 4" in bench.under_test.console, "an answer")
        assert "hush" not in bench.on_screen + bench.under_test.console + bench.drawn


@pytest.mark.full
async def test_what_is_typed_behind_a_password_is_the_programs(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, GETPASS) as bench:
        await bench.comes("Password:")
        await pressed(bench, "h", "u", "s", "h", "enter")
        await bench.comes("name:")
        await pressed(bench, "b", "o", "b", "enter")
        await bench.until(lambda: "hello bob" in bench.under_test.console, "the name")
        await bench.ends()
        assert not list(bench.session.breakpoints.registry)
        await bench.until(lambda: bench.screen.body.maximised is None, "the panes")


async def test_a_program_that_reads_no_more_gives_the_keys_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_terminal, "STAYS", 0.1)
    program = GETPASS.replace('input("name: ")', "__import__('threading').Event().wait()")
    async with terminal_debugger(tmp_path, program) as bench:
        await bench.comes("Password:")
        await pressed(bench, "h", "enter")
        await bench.sees("the program reads no more")
        assert bench.screen.body.maximised is None


@pytest.mark.full
async def test_letters_behind_a_stop_are_no_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "PAUSE", 600)
    async with terminal_debugger(tmp_path, GETPASS, stop_at="here") as bench:
        await bench.comes("Password:")
        await pressed(bench, "h", "enter")
        await bench.comes("name:")
        await pressed(bench, "b", "o", "b", "enter")
        await bench.stops(is_seen=False)
        before = len(list(bench.session.breakpoints.registry))
        await bench.press("b", "c")
        assert keys.TYPED_ON in bench.status
        assert len(list(bench.session.breakpoints.registry)) == before
        await bench.press("escape", "b")  # whoever does anything else means the debugger
        await bench.until(lambda: len(list(bench.session.breakpoints.registry)) != before, "set")


@pytest.mark.full
async def test_a_password_is_typed_in_the_console_and_seen_nowhere(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, GETPASS) as bench:
        await bench.press("i")
        await bench.until(lambda: "Password:" in bench.under_test.console, "the question")
        await bench.sees("it is not shown here")
        await bench.type_text("hush")
        await bench.sees("stdin> ••••")
        await bench.press("enter")
        await bench.until(lambda: "letters: 4" in bench.under_test.console, "an answer")
        await bench.until(lambda: not bench.session.program_screen.is_taken, "it is over")
        await bench.until(lambda: "is not shown" not in bench.status, "nothing secret any more")
        await bench.type_text("Zoë")
        await bench.sees("stdin> Zoë")
        assert bench.screen.query_one(ConsoleInput).history == []
        assert "hush" not in bench.on_screen + bench.under_test.console


PROGRESS = """
    import sys, time

    for part in range(0, 101, 10):
        print(f"\\r\\x1b[32m{'#' * (part // 10):<10}\\x1b[0m {part}%", end="", flush=True)
    print()
    input("done? ")
"""


@pytest.mark.full
async def test_a_progress_bar_is_one_line_and_takes_no_screen(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, PROGRESS) as bench:
        await bench.until(lambda: "done?" in bench.under_test.console, "the end")
        (bar, question) = bench.under_test.output("terminal").split("\n")
        assert bar.endswith("100%")
        assert question == "done? "
        assert ProgramTerminal.of(bench.screen).shown is None
        await bench.press("0")
        await bench.sees("Enter types to the program")
        assert bench.drawn.split("\n")[:2] == ["########## 100%", "done?"]
        await bench.press("enter", "y", "enter")
        await bench.ends()


@pytest.mark.full
@pytest.mark.skipif(shutil.which("less") is None, reason="there is no less here")
async def test_a_pager_shows_pages_and_leaves_no_trace(tmp_path: Path) -> None:
    program = """
        import subprocess
        text = "".join(f"row {n} of the text\\n" for n in range(200))
        print("before")
        subprocess.run(["less"], input=text.encode())
        print("after")
        input()
    """
    async with terminal_debugger(tmp_path, program) as bench:
        await bench.comes("row 0 of the text")
        await bench.sees("row 35 of the text")  # at its new size: less drops keys that come before
        await pressed(bench, "space")
        await bench.sees("row 40 of the text")
        await pressed(bench, "q")
        await bench.until(lambda: "after" in bench.drawn, "the end of the pages")
        assert "row" not in bench.drawn
        assert "of the text" not in bench.under_test.output("terminal")


@pytest.mark.full
async def test_colours_attributes_and_wide_letters(tmp_path: Path) -> None:
    program = r"""
        print("\x1b[1;31mred\x1b[0m \x1b[38;5;208morange\x1b[0m \x1b[48;2;1;2;3mdark\x1b[0m")
        print("\x1b[4;7mmarked\x1b[0m 日本 end")
        input()
    """
    async with terminal_debugger(tmp_path, program) as bench:
        await bench.press("0")
        await bench.sees("日本 end")
        styles = {
            segment.text: segment.style
            for y in range(2)
            for segment in bench.pane.render_line(y)
            if segment.text.strip()
        }
        assert styles["red"] is not None and styles["red"].color is not None
        assert (styles["red"].color.number, styles["red"].bold) == (1, True)
        assert styles["orange"] is not None and styles["orange"].color is not None
        assert styles["orange"].color.number == 208
        assert styles["dark"] is not None and styles["dark"].bgcolor is not None
        assert styles["dark"].bgcolor.triplet == (1, 2, 3)
        assert styles["marked"] is not None
        assert styles["marked"].underline and styles["marked"].reverse
        assert bench.pane.render_line(1).cell_length == bench.pane.size.width


async def test_a_flood_is_scrolled_and_kept_within_bounds(tmp_path: Path) -> None:
    program = """
        for number in range(30_000):
            print("line", number, "of many")
        input("end? ")
    """
    async with terminal_debugger(tmp_path, program) as bench:
        await bench.press("0")
        await bench.sees("line 29999 of many")
        screen = bench.session.program_screen
        assert len(screen.emulator._screen.history) <= HISTORY_LINES
        await bench.press("home")
        await bench.sees("lines back · End")
        assert "line 29999 of many" not in bench.on_screen
        await bench.press("end", "enter", "y", "enter")
        await bench.ends()


async def test_a_program_that_leaves_a_mess_is_cleaned_up_after(tmp_path: Path) -> None:
    program = r"""
        import os, signal, sys, tty
        tty.setraw(0)
        print("\x1b[?1049h\x1b[?1003h\x1b[?1006h\x1b[?25l\x1b[3;3Hlast words", end="", flush=True)
        if sys.stdin.read(1) == "k":
            os.kill(os.getpid(), signal.SIGKILL)
    """
    async with terminal_debugger(tmp_path, program) as bench:
        await bench.comes("last words")
        await pressed(bench, "k")
        await bench.ends()
        await bench.until(lambda: bench.screen.body.maximised is None, "the panes")
        assert "last words" not in bench.under_test.output("terminal")
        await bench.press("0")
        await bench.sees("last words")
        await bench.sees("there is no program on it")
        assert not bench.pane.mouse.mode
        await bench.press("enter")
        assert bench.screen.typing_pane is None
        await bench.press("0", "R", "R")
        await bench.stops()
        assert "last words" not in bench.drawn


@pytest.mark.full
async def test_the_key_that_leaves_does_not_begin_to_type_while_it_stands(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, CURSES, stop_at="here") as bench:
        await bench.comes("column 5")
        await pressed(bench, "s")
        await bench.stops()
        await bench.press("0", "ctrl+right_square_bracket")
        await bench.sees("input is read once it runs")
        assert bench.screen.typing_pane is None
        await bench.press("enter")
        await bench.sees("the program is stopped: it reads input when it runs")
        assert bench.screen.typing_pane is None
        await bench.press("0", "c")
        await bench.comes("column 5, s")
        await pressed(bench, "q")
        await bench.ends()


@pytest.mark.full
async def test_a_key_that_would_kill_is_refused_while_it_stands(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, CURSES, stop_at="here") as bench:
        await bench.comes("column 5")
        await pressed(bench, "s")
        await bench.stops()
        await bench.press("0", "i", "ctrl+c", "right")
        await bench.sees("the program is paused")
        assert bench.session.status is Status.PAUSED
        await bench.press("ctrl+right_square_bracket", "0", "c")
        await bench.comes("column 6")


@pytest.mark.full
async def test_pasted_text_reaches_the_program_as_such(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, PROMPT) as bench:
        await bench.comes("ask>")
        bench.app.post_message(events.Paste("one\ntwo"))
        await bench.sees("ask> one")
        await bench.sees("two")
        await pressed(bench, "ctrl+c")
        await bench.until(lambda: not bench.is_forward or bench.under_test.ended, "its end")


async def test_keys_for_something_else_are_not_taken_away(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, CURSES) as bench:
        await bench.press("5", "i")
        await bench.sees("the program waits for keys: 0 shows its terminal")
        assert bench.screen.body.maximised is None
        bench.app.post_message(make_key("x"))
        await bench.until(
            lambda: bench.screen.query_one(ConsoleInput).value == "x", "the key in the console"
        )


@pytest.mark.sampled
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
async def test_it_fits_every_screen(tmp_path: Path, size: tuple[int, int]) -> None:
    async with terminal_debugger(tmp_path, CURSES, size=size) as bench:
        await bench.comes(f"size {size[0]}x{size[1] - 3}")


LATE = """\
words = "it speaks"
print("\\n" + words)  #: here
input()
"""


@pytest.mark.full
async def test_a_terminal_on_which_nothing_stands_says_so(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, LATE, stop_at="here") as bench:
        await bench.stops()
        await bench.press("0")
        await bench.sees("Nothing is written here yet")
        await bench.press("c")
        await bench.sees("it speaks")
        await bench.until(lambda: "Nothing is written" not in bench.on_screen)


ANSWERED = """\
answer = input("? ")
print("it was " + answer)  #: here
input()
"""


@pytest.mark.full
async def test_keys_are_the_debuggers_again_where_the_program_stops(tmp_path: Path) -> None:
    async with terminal_debugger(tmp_path, ANSWERED, stop_at="here") as bench:
        await bench.sees("?")
        await bench.press("0", "enter")
        await bench.sees("typing to the program")
        await bench.press("a", "enter")
        await bench.stops()
        await bench.sees("the program has stopped: keys go to tuidbg again")
        assert bench.screen.typing_pane is None
        await bench.press("i", "b")
        await bench.until(lambda: "\nb" in bench.drawn, "what is typed ahead")
        await bench.press("ctrl+right_square_bracket", "n")
        await bench.sees("it was a")
