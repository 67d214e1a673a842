"""The console's prompt: several lines, what Enter means, names, what was typed before."""

from __future__ import annotations

import pytest

from tests.support.sessions import until
from tests.tui.console.test_console import Bench, console
from tuidbg.tui.panes.console.console_input import (
    ConsolePopup,
    HelpQuestion,
    as_sent,
    help_question,
    is_complete,
    local_attributes,
    local_names,
    next_indent,
)
from tuidbg.tui.toolkit.text import highlight


def value(bench: Bench) -> str:
    return bench.app.line.value


def prompt_rows(bench: Bench) -> list[str]:
    """The rows of the prompt and its line as they stand on the screen."""
    strips = bench.app.screen._compositor.render_strips()
    return [strip.text.rstrip() for strip in strips[-bench.app.line.rows :]]


def popup_rows(bench: Bench) -> list[str]:
    """Returns what the list over the prompt shows, the selected one in brackets; else nothing."""
    popup = bench.app.screen.query_one(ConsolePopup)
    if not popup.display:
        return []
    rows = [popup.render_line(y).text.strip() for y in range(popup.size.height)]
    return [f"[{row}]" if row == popup.choice.replace("\n", "⏎") else row for row in rows]


# What a text is


@pytest.mark.parametrize(
    "text",
    [
        "x", "x = 1", "for x in y: pass", "await x", "async with a: pass", "x; y", "print((", "x?",
        "?? x", "def f(): return 1", "x = 1\ny = 2", "if x:\n    y\n", "if x:\n    y\n    ",
        "x = [\n 1]", "1 +* 2", "  x = 1\n  y = 2", "with a:\n    b\n\nc", "x = '''a\nb'''",
        "%timeit x", "\0",
    ],
)  # fmt: skip
def test_complete(text: str) -> None:
    assert is_complete(text) is (text != "print((")


@pytest.mark.parametrize(
    "text",
    [
        "if x:", "for x in y:\n    x", "def f(a,", "x = [", "x = '''a", "@decorator", "try:\n    x",
        "class A:\n    def f(self):\n        pass", "x = \\", "async def f():", "match x:",
        "match x:\n    case 1:\n        y", "with open(x) as y:", "await f(", "if x:\n    y\nelse:",
        "%%time", "%%time\nx",
    ],
)  # fmt: skip
def test_to_be_gone_on_with(text: str) -> None:
    assert not is_complete(text)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("x?", HelpQuestion("x", False)),
        (" a.b[0] ?? ", HelpQuestion("a.b[0]", True)),
        ("?len", HelpQuestion("len", False)),
        ("??len", HelpQuestion("len", True)),
        ("?", None),
        ("x", None),
        ("'why?'", None),
        ("x  # really?", None),
        ("x???", None),
        ("a\nb?", None),
    ],
)
def test_questions(text: str, question: HelpQuestion | None) -> None:
    assert help_question(text) == question


@pytest.mark.parametrize(
    ("text", "indent"),
    [
        ("if x:", 4),
        ("if x:  # why", 4),
        ("if x:\n    y", 4),
        ("if x:\n    for a in b:", 8),
        ("def f():\n    return 1", 0),
        ("x = {", 0),
    ],
)
def test_indents(text: str, indent: int) -> None:
    assert next_indent(text) == " " * indent


def test_names_without_the_program() -> None:
    names = local_names(["alpha", "0", "special variables"], ["beta.gamma = delta"])
    assert {"alpha", "beta", "gamma", "delta", "for", "print"} <= names
    assert not {"0", "special variables"} & names
    assert local_attributes("beta", ["beta.gamma + alphabeta.no", "x.beta.no", "beta .no"]) == {
        "gamma"
    }
    assert as_sent("  a\n    b") == "a\n  b"


# Several lines


@pytest.mark.full
async def test_a_block_is_gone_on_with_and_ended_by_an_empty_line() -> None:
    async with console(height=12) as bench:
        bench.app.pane.focus_input()
        await bench.press(*"for i in x:", "enter")
        assert bench.asked == []
        assert value(bench) == "for i in x:\n    "
        await bench.press(*"if i:", "enter", *"print(i)", "enter", "backspace", *"y", "enter")
        assert value(bench) == "for i in x:\n    if i:\n        print(i)\n    y\n    "
        rows = [">>> for i in x:", "...     if i:", "...         print(i)", "...     y", "..."]
        await until(lambda: prompt_rows(bench) == rows, "all rows have their prompts")
        assert bench.app.log_view.size.height == 7
        await bench.press("enter")
        assert bench.asked == [
            ("EvaluateRequested", "for i in x:\n    if i:\n        print(i)\n    y")
        ]
        assert prompt_rows(bench)[0].startswith(">>> expr")
        assert bench.app.log_view.size.height == 11


@pytest.mark.full
@pytest.mark.parametrize("key", ["alt+enter", "shift+enter", "ctrl+j"])
async def test_a_new_line_where_one_could_be_sent(key: str) -> None:
    async with console(height=12) as bench:
        bench.app.pane.focus_input()
        await bench.press("x", key, "y", "enter")
        assert bench.asked == [("EvaluateRequested", "x\ny")]
        await bench.press("ctrl+t", "x", key, "enter")
        assert bench.asked == [("InputSubmitted", "x")]


async def test_keys_move_between_the_lines_and_through_the_history() -> None:
    async with console(height=12) as bench:
        line = bench.app.line
        bench.app.pane.history = ["old"]
        bench.app.pane.focus_input()
        await bench.press(*"ab", "ctrl+j", *"c", "ctrl+j", *"def", "up", "up")
        assert line.cursor_position == 1
        await bench.press("end", "X", "down", "home", "Y", "down", "ctrl+k", "Z")
        assert value(bench) == "abX\nYc\ndZ"
        await bench.press("ctrl+u", "backspace", "up", "up")
        assert value(bench) == "old"
        await bench.press("down")
        assert value(bench) == "abX\nYc"
        # In the middle of it, Enter makes a line.
        await bench.press("up", "enter")
        assert bench.asked == []
        assert value(bench).count("\n") == 2


async def test_backspace_takes_back_an_indentation() -> None:
    async with console(height=12) as bench:
        bench.app.pane.focus_input()
        await bench.press(*"if x:", "enter", "tab", "backspace", "backspace", "backspace")
        assert value(bench) == "if x:"


@pytest.mark.full
async def test_recalled_blocks_are_sent_by_one_enter() -> None:
    async with console(height=12) as bench:
        bench.app.pane.history = ["for i in x:\n    i"]
        bench.app.pane.focus_input()
        await bench.press("up", "enter")
        assert bench.asked == [("EvaluateRequested", "for i in x:\n    i")]
        await bench.press("up", "2", "enter")
        assert bench.asked == []
        assert value(bench) == "for i in x:\n    i2\n    "


async def test_a_paste_is_one_input() -> None:
    async with console(height=12) as bench:
        bench.app.pane.focus_input()
        await bench.paste("x = 1\ndef f():\n    return x\n\nprint(f())\n")
        assert bench.app.line.rows == 5
        await bench.press("enter")
        assert bench.asked == [("EvaluateRequested", "x = 1\ndef f():\n    return x\n\nprint(f())")]


@pytest.mark.full
async def test_a_long_text_scrolls_in_half_the_pane() -> None:
    async with console(width=20, height=8) as bench:
        bench.app.pane.focus_input()
        await bench.paste("\n".join(f"line_{n}" for n in range(20)) + "x" * 30)
        assert bench.app.line.rows == 4
        assert bench.app.line.scroll_offset.y == 16
        assert prompt_rows(bench)[-1].endswith("xxx")
        await bench.press(*["up"] * 19)
        assert prompt_rows(bench)[0] == ">>> line_0"
        await bench.press("ctrl+shift+a", "delete")
        assert bench.app.line.rows == 1


@pytest.mark.full
async def test_typed_ahead_lines_are_taken_in_their_order() -> None:
    async with console(height=12) as bench:
        bench.app.pane.focus_input()
        await bench.press(*"if 1:", "enter", *"x", "enter", "enter", *"y", "enter", *"z")
        assert bench.asked == [
            ("EvaluateRequested", "if 1:\n    x"),
            ("EvaluateRequested", "y"),
        ]
        assert value(bench) == "z"


async def test_python_is_coloured_and_the_programs_input_is_not() -> None:
    highlight.preload()
    async with console(height=12) as bench:
        bench.app.pane.focus_input()
        await bench.paste("def f():\n    return '漢\t字'")

        def colours(row: int) -> dict[str, object]:
            line = bench.app.line.render_line(row)
            return {s.text.strip(): s.style.color for s in line if s.style and s.text.strip()}

        assert colours(0)["def"] != colours(0)["f"]
        assert colours(1)["return"] == colours(0)["def"]
        assert len(set(colours(1).values())) > 1
        bench.app.pane.mode = "stdin"
        assert len(set(colours(0).values())) == 1


async def test_the_mouse_puts_the_cursor() -> None:
    async with console(height=12) as bench:
        line = bench.app.line
        bench.app.pane.focus_input()
        await bench.paste("ab\n\tcd\n漢字e")
        places = {(1, 0): 1, (9, 0): 2, (5, 1): 5, (2, 1): 3, (2, 2): 8, (9, 2): 10}
        for place, index in places.items():
            await bench.pilot.click(line, offset=place)
            assert line.cursor_position == index, place


# Names


@pytest.mark.full
async def test_tab_asks_for_names_and_shows_them() -> None:
    async with console(height=12) as bench:
        pane, line = bench.app.pane, bench.app.line
        pane.focus_input()
        await bench.press(*"x = al", "tab")
        assert bench.asked == [("CompletionRequested", "x = al")]
        assert pane.show_names("x = al", 4, ["alpha", "alpine", "beta"])
        await bench.pilot.pause()
        assert value(bench) == "x = alp"
        assert popup_rows(bench) == ["[alpha]", "alpine"]
        await bench.press("tab")
        assert popup_rows(bench) == ["alpha", "[alpine]"]
        await bench.press("shift+tab", "down", "down", "h")
        assert value(bench) == "x = alph"
        assert popup_rows(bench) == ["[alpha]"]
        await bench.press("enter")
        assert (value(bench), popup_rows(bench)) == ("x = alpha", [])
        await bench.press("enter")
        assert bench.asked == [("EvaluateRequested", "x = alpha")]
        assert line.value == ""


@pytest.mark.full
async def test_a_single_name_is_put_in_at_once() -> None:
    async with console(height=12) as bench:
        bench.app.pane.focus_input()
        await bench.press(*"x.ap", "tab")
        assert bench.app.pane.show_names("x.ap", 2, ["append", "_ap"])
        assert (value(bench), popup_rows(bench)) == ("x.append", [])


@pytest.mark.full
async def test_names_that_come_late_are_compared_with_what_stands_there() -> None:
    async with console(height=12) as bench:
        pane = bench.app.pane
        pane.focus_input()
        await bench.press(*"al", "tab", "p")
        assert pane.show_names("al", 0, ["alpha", "alter", "alpine"])
        await bench.pilot.pause()
        assert popup_rows(bench) == ["[alpha]", "alpine"]
        await bench.press("escape", "(")
        assert popup_rows(bench) == []
        assert not pane.show_names("al", 0, ["alpha"])
        await bench.press("enter")
        assert not pane.show_names("al", 0, ["alpha"])
        assert bench.app.query_one(ConsolePopup).display is False


@pytest.mark.full
async def test_escape_closes_the_list_and_then_leaves() -> None:
    async with console(height=12) as bench:
        bench.app.pane.focus_input()
        await bench.press("a")
        bench.app.pane.show_names("a", 0, ["ab", "ac"])
        await bench.press("escape")
        assert (popup_rows(bench), bench.app.given_back) == ([], [])
        await bench.press("escape")
        assert bench.app.given_back == [False]


async def test_many_names_are_scrolled_and_clicked() -> None:
    async with console(width=40, height=14) as bench:
        bench.app.pane.focus_input()
        await bench.press("n")
        names = [f"n{n:02}" for n in range(30)]
        bench.app.pane.show_names("n", 0, names)
        await bench.pilot.pause()
        assert popup_rows(bench) == ["[n00]", *names[1:8], "1 of 30"]
        await bench.press("up")
        assert popup_rows(bench) == [*names[22:29], "[n29]", "30 of 30"]
        await bench.pilot.click(ConsolePopup, offset=(2, 3))
        await bench.pilot.pause()
        assert (value(bench), popup_rows(bench)) == ("n25", [])


async def test_tab_with_nothing_to_complete() -> None:
    async with console(height=12) as bench:
        bench.app.pane.focus_input()
        await bench.press(*"f(", "tab")
        assert (value(bench), bench.asked) == ("f(", [])
        assert bench.app.focused is bench.app.line


# What was typed before


async def test_search_in_the_history() -> None:
    async with console(height=12) as bench:
        pane = bench.app.pane
        pane.history = ["alpha = 1", "print(alpha)", "for a in b:\n    c", "Alphabet", "alpha = 1"]
        pane.focus_input()
        await bench.press(*"half", "ctrl+r")
        assert prompt_rows(bench)[-1].startswith("search> ")
        assert popup_rows(bench)[0] == "[alpha = 1]" and len(popup_rows(bench)) == 4
        await bench.press(*"alph")
        assert popup_rows(bench) == ["[alpha = 1]", "Alphabet", "print(alpha)"]
        await bench.press("ctrl+r", "ctrl+r")
        assert popup_rows(bench)[2] == "[print(alpha)]"
        await bench.press("enter")
        assert value(bench) == "print(alpha)"
        assert prompt_rows(bench)[-1] == ">>> print(alpha)"
        await bench.press("ctrl+r", *"zzz")
        assert popup_rows(bench) == []
        await bench.press("enter")
        assert value(bench) == "print(alpha)", "nothing was found: as it was"
        for end in ("escape", "ctrl+c"):
            await bench.press("ctrl+r", "f", end)
            assert (value(bench), popup_rows(bench)) == ("print(alpha)", [])
        await bench.press("ctrl+r", *"for", "enter", "enter")
        assert bench.asked == [("EvaluateRequested", "for a in b:\n    c")]


async def test_questions_are_asked_and_remembered() -> None:
    async with console(height=12) as bench:
        bench.app.pane.focus_input()
        await bench.press(*"x??", "enter")
        assert bench.asked == [("HelpRequested", "x")]
        assert bench.app.pane.history == ["x??"]


async def test_seconds_are_counted_while_it_evaluates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tuidbg.tui.panes.console.console_pane.ELAPSED_INTERVAL", 0.05)
    async with console(height=12) as bench:
        pane = bench.app.pane
        pane.focus_input()
        pane.set_busy(True, "slow()\nmore")
        await bench.press("a")
        pane._busy_since -= 12
        while not prompt_rows(bench)[-1].startswith("12s> a"):
            await bench.pilot.pause(0.02)
        pane.set_busy(False)
        await bench.pilot.pause()
        assert prompt_rows(bench)[-1] == ">>> a"
