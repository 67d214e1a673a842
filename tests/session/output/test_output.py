"""The console's lines: streams kept apart, completed in place, bounded and counted."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from tuidbg.session.core.output import OutputBuffer
from tuidbg.session.model.state import OutputLine


def texts(buffer: OutputBuffer) -> list[str]:
    return [line.text for line in buffer]


def test_lines_have_numbers_and_categories() -> None:
    buffer = OutputBuffer()
    assert (len(buffer), buffer.first_number, buffer.last_number) == (0, 1, 0)
    buffer.feed("terminal", b"one\r\ntwo\r\n")
    buffer.add("console", "a message")
    assert list(buffer) == [
        OutputLine(number=1, category="terminal", text="one"),
        OutputLine(number=2, category="terminal", text="two"),
        OutputLine(number=3, category="console", text="a message"),
    ]
    assert buffer[-1] == buffer[2] == buffer.line(3)
    assert buffer.last_number == 3
    with pytest.raises(KeyError):
        buffer.line(4)
    with pytest.raises(IndexError):
        buffer[3]


def test_a_prompt_is_shown_at_once_and_completed_in_place() -> None:
    buffer = OutputBuffer()
    buffer.feed("terminal", b"Name: ")
    assert buffer[0] == OutputLine(number=1, category="terminal", text="Name: ", complete=False)
    buffer.feed("terminal", b"Ada")
    assert buffer[0].text == "Name: Ada"
    buffer.feed("terminal", b"\r\nHello\r\n")
    assert list(buffer) == [
        OutputLine(number=1, category="terminal", text="Name: Ada"),
        OutputLine(number=2, category="terminal", text="Hello"),
    ]


def test_streams_do_not_tear_each_others_lines() -> None:
    buffer = OutputBuffer()
    buffer.feed("stdout", "half a li")
    buffer.feed("stderr", "warn")
    buffer.feed("stdout", "ne\nnext")
    buffer.feed("stderr", "ing\n")
    buffer.add("console", "said between")
    assert [(line.category, line.text, line.complete) for line in buffer] == [
        ("stdout", "half a line", True),
        ("stderr", "warning", True),
        ("stdout", "next", False),
        ("console", "said between", True),
    ]


def test_output_cut_at_4096_is_whole_again() -> None:
    buffer = OutputBuffer()
    text = "".join(f"line {i} é\n" for i in range(3000))
    for start in range(0, len(text), 4096):
        buffer.feed("stdout", text[start : start + 4096])
    assert texts(buffer) == text.split("\n")[:-1]
    assert all(line.complete for line in buffer)


def test_a_progress_bar_stays_on_its_line() -> None:
    buffer = OutputBuffer()
    for percent in range(101):
        buffer.feed("terminal", f"\r{percent:3}%".encode())
    assert texts(buffer) == ["100%"]
    buffer.feed("terminal", b"\r\x1b[K")
    assert buffer[0] == OutputLine(number=1, category="terminal", text="", complete=False)
    buffer.feed("terminal", b"done\r\n")
    assert texts(buffer) == ["done"]


def test_finish_completes_and_resets_colours() -> None:
    buffer = OutputBuffer()
    buffer.feed("terminal", b"\x1b[31mred without an end")
    buffer.finish("terminal")
    assert buffer[0].complete
    buffer.feed("terminal", b"plain\n")
    buffer.finish("terminal")
    buffer.finish("never fed")
    assert texts(buffer) == ["\x1b[31mred without an end", "plain"]


def test_messages_end_their_lines() -> None:
    buffer = OutputBuffer()
    buffer.add("result", "a\nb")
    buffer.add("result", "c\n")
    buffer.add("error", "\x1b[1mbold")
    buffer.add("error", "")
    buffer.add("error", "plain")
    assert texts(buffer) == ["a", "b", "c", "\x1b[1mbold", "plain"]


def test_at_most_so_many_lines() -> None:
    buffer = OutputBuffer(max_lines=3)
    for i in range(5):
        buffer.feed("stdout", f"{i}\n")
    assert texts(buffer) == ["2", "3", "4"]
    assert (buffer.dropped, buffer.first_number, buffer.last_number) == (2, 3, 5)
    assert [line.number for line in buffer] == [3, 4, 5]
    with pytest.raises(KeyError):
        buffer.line(2)
    buffer.feed("stdout", "".join(f"{i}\n" for i in range(100)))
    assert texts(buffer) == ["97", "98", "99"]
    assert buffer.dropped == 102


def test_at_most_so_many_bytes() -> None:
    buffer = OutputBuffer(max_bytes=100)
    for letter in "abcdef":
        buffer.feed("stdout", letter * 30 + "\n")
    assert texts(buffer) == ["d" * 30, "e" * 30, "f" * 30]
    buffer.feed("stdout", "é" * 45 + "\n")
    assert texts(buffer) == ["é" * 45]
    buffer.feed("stdout", "x" * 500 + "\n")
    assert texts(buffer) == ["x" * 500]
    assert buffer.dropped == 7


def test_an_open_line_that_was_dropped_goes_on_in_a_new_one() -> None:
    buffer = OutputBuffer(max_lines=2)
    buffer.feed("stdout", "open ")
    buffer.feed("stderr", "1\n2\n3\n")
    assert texts(buffer) == ["2", "3"]
    buffer.feed("stdout", "line\n")
    assert [(line.number, line.text) for line in buffer] == [(4, "3"), (5, "open line")]


def test_readers_learn_what_is_new() -> None:
    buffer = OutputBuffer()
    buffer.feed("stdout", "a\nopen")
    version, last = buffer.version, buffer.last_number
    assert (last, list(buffer.rewritten_since(version))) == (2, [])
    buffer.feed("stderr", "b\n")
    buffer.feed("stdout", " more\nc\n")
    assert list(buffer.rewritten_since(version)) == [2]
    assert buffer.last_number == 4
    assert list(buffer.rewritten_since(buffer.version)) == []
    buffer.feed("stdout", "")
    assert list(buffer.rewritten_since(version)) == [2]


def test_a_reader_far_behind_looks_at_all() -> None:
    buffer = OutputBuffer()
    version = buffer.version
    for i in range(200):
        buffer.feed("stdout", f"{i}")
        buffer.feed("stdout", "\n")
    assert list(buffer.rewritten_since(version)) == list(range(1, 201))
    version = buffer.version
    buffer.feed("stdout", "open")
    buffer.feed("stdout", " line")
    assert list(buffer.rewritten_since(version)) == [201]


def test_clear_forgets_lines_not_numbers() -> None:
    buffer = OutputBuffer(max_lines=2)
    buffer.feed("stdout", "a\nb\nc\nopen")
    version = buffer.version
    buffer.clear()
    assert (len(buffer), buffer.first_number, buffer.last_number, buffer.dropped) == (0, 5, 4, 0)
    assert buffer.version > version
    buffer.feed("stdout", " line\n")
    assert [(line.number, line.text) for line in buffer] == [(5, "open line")]


@pytest.mark.full
def test_200_000_lines_are_quick_and_small() -> None:
    data = "".join(f"line {i} with some text\r\n" for i in range(200_000)).encode()
    chunks = [data[start : start + 4096] for start in range(0, len(data), 4096)]
    buffer = OutputBuffer()
    before = time.process_time()
    for chunk in chunks:
        buffer.feed("terminal", chunk)
    assert time.process_time() - before < 1.0
    assert (len(buffer), buffer.dropped) == (10_000, 190_000)
    assert buffer[-1].text == "line 199999 with some text"

    buffer = OutputBuffer()
    tracemalloc.start()
    try:
        for chunk in chunks[:500]:
            buffer.feed("terminal", chunk)
        assert tracemalloc.get_traced_memory()[1] < 5 * 1024 * 1024
    finally:
        tracemalloc.stop()
