"""The harness itself: what tests and benchmarks believe of it must be true."""

from __future__ import annotations

import signal
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.emulator import Emulator
from tests.support.keyboard import key_sequence, mouse_sequence
from tests.support.terminal import Terminal

pytestmark = pytest.mark.real

PROGRAM = """
import os, signal, sys, termios, tty
print("size", *os.get_terminal_size(), os.environ["TERM"], os.ttyname(0) == os.ttyname(1))
signal.signal(signal.SIGWINCH, lambda *_: print("resized", *os.get_terminal_size()))
before = termios.tcgetattr(0)
tty.setraw(0)
sys.stdout.write("\\x1b[?1049h\\x1b[?25l\\x1b[>29u\\x1b[?2026$p\\x1b[1;1Hraw mode\\r\\n")
sys.stdout.flush()
while (data := os.read(0, 100)) != b"q":
    print("got", data.hex(), end="\\r\\n", flush=True)
termios.tcsetattr(0, termios.TCSADRAIN, before)
sys.stdout.write("\\x1b[<u\\x1b[?25h\\x1b[?1049lgood-bye\\n")
sys.exit(3)
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Terminal]:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    with Terminal([sys.executable, script], columns=100, rows=12) as terminal:
        terminal.wait_for("raw mode")
        yield terminal


@pytest.mark.full
def test_cat_answers_and_bytes_are_counted() -> None:
    with Terminal(["cat"], columns=40, rows=5) as terminal:
        terminal.send("hello ☂\n")
        waited = terminal.wait_for(lambda text: text.count("hello ☂") == 2)
        assert 0 <= waited < 10
        assert terminal.raw.decode() == "hello ☂\r\n" * 2
        assert terminal.bytes_written == len(terminal.raw)
        assert terminal.line(1) == "hello ☂"
        assert terminal.find("☂") == (6, 0)
        assert terminal.settle(0.05)
        terminal.key("ctrl+d")
        assert terminal.wait_exit() == 0


@pytest.mark.full
def test_the_command_has_a_terminal_of_the_size_asked_for(program: Terminal) -> None:
    program.key("q")
    assert program.wait_exit() == 3
    assert "size 100 12 xterm-256color True" in program.text


@pytest.mark.full
def test_keys_and_the_mouse_arrive(program: Terminal) -> None:
    program.key("f10")
    program.wait_for(f"got {key_sequence('f10').encode().hex()}")
    program.right_click(4, 9)
    program.wait_for(mouse_sequence("right", 4, 9).encode().hex())


@pytest.mark.full
def test_a_resize_reaches_the_program_and_the_screen(program: Terminal) -> None:
    program.resize(60, 15)
    program.wait_for("resized 60 15")
    assert len(program.text.split("\n")) == 15


@pytest.mark.full
def test_the_alternate_screen_leaves_the_main_one_as_it_was(program: Terminal) -> None:
    assert program.emulator.is_alternate
    assert not program.emulator.is_cursor_shown
    assert program.attributes() != program.attributes_at_start
    program.key("q")
    program.wait_exit()
    assert not program.emulator.is_alternate
    assert program.emulator.is_cursor_shown
    assert program.attributes() == program.attributes_at_start
    assert "raw mode" not in program.text
    assert program.text.split() == ["size", "100", "12", "xterm-256color", "True", "good-bye"]
    assert b"\x1b[?1049l" in program.raw
    assert b"\x1b[?25h" in program.raw


@pytest.mark.full
def test_a_wait_that_fails_shows_the_screen(program: Terminal) -> None:
    with pytest.raises(AssertionError, match=r"0\.1 s without 'no such text'(?s:.*)\|raw mode"):
        program.wait_for("no such text", timeout=0.1)


@pytest.mark.full
def test_a_wait_fails_at_once_when_the_command_has_ended() -> None:
    with (
        Terminal([sys.executable, "-c", "print('last words')"]) as terminal,
        pytest.raises(AssertionError, match="ended with status 0"),
    ):
        terminal.wait_for("no such text", timeout=60)


@pytest.mark.full
def test_control_keys_are_signals_for_the_foreground_group() -> None:
    with Terminal(["sh", "-i"], env={"PS1": "ready> "}) as terminal:
        terminal.wait_for("ready>")
        terminal.send("cat\n")
        terminal.wait_for(lambda _: terminal.foreground_group != terminal.pid)
        terminal.key("ctrl+z")
        terminal.wait_for("Stopped")
        terminal.wait_for(lambda _: terminal.foreground_group == terminal.pid)


@pytest.mark.full
def test_signals_end_the_command() -> None:
    with Terminal(["cat"]) as terminal:
        terminal.send_signal(signal.SIGTERM)
        assert terminal.wait_exit() == -signal.SIGTERM


@pytest.mark.full
def test_what_the_command_leaves_behind_is_found_and_ended() -> None:
    orphan = "import time; print('orphan up', flush=True); time.sleep(60)"
    code = (
        "import subprocess, sys\n"
        f"subprocess.Popen([sys.executable, '-c', {orphan!r}], start_new_session=True)\n"
    )
    terminal = Terminal([sys.executable, "-c", code])
    with terminal:
        terminal.wait_for("orphan up")
        assert terminal.wait_exit() == 0
        assert [command for command in terminal.remains().values() if "orphan up" in command]
    terminal.close()
    assert terminal.remains() == {}


@pytest.mark.full
def test_output_is_held_back_while_emulation_is_off() -> None:
    with Terminal(["cat"], emulate=False) as terminal:
        terminal.send("hidden\n")
        terminal.settle()
        assert terminal.text.strip() == ""
        assert terminal.raw.count(b"hidden") == 2
        terminal.show_pending()
        assert "hidden" in terminal.text


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b[>29u",
        "\x1b[<u",
        "\x1b[=1;1u",
        "\x1b[?2026$p",
        "\x1b[?2026h",
        "\x1b[>4;2m",
        "\x1b[4:3m",
        "\x1b[!p",
        "\x1b[2 q",
        "\x1bP+q544e\x1b\\",
        "\x1b_Gi=1;AAAA\x1b\\",
        "\x1b]0;a title\x07",
        "\x1b[?4m",
    ],
)
def test_sequences_print_nothing_wherever_they_are_split(sequence: str) -> None:
    data = f"before {sequence}after".encode()
    for cut in range(len(data)):
        emulator = Emulator(40, 2)
        emulator.feed(data[:cut])
        emulator.feed(data[cut:])
        assert emulator.lines == ["before after", ""]
        assert not emulator.style(8, 0).underscore


def test_keys_are_spelled_as_xterm_does() -> None:
    assert key_sequence("n") == "n"
    assert key_sequence("ctrl+c") == "\x03"
    assert key_sequence("shift+f11") == "\x1b[23;2~"
    assert key_sequence("ctrl+right") == "\x1b[1;5C"
    assert key_sequence("alt+m") == "\x1bm"
    assert mouse_sequence("left", 0, 0) == "\x1b[<0;1;1M\x1b[<0;1;1m"
    with pytest.raises(ValueError, match="nokey"):
        key_sequence("nokey")


@pytest.mark.full
def test_settings_are_readable_after_the_end() -> None:
    with Terminal(["true"]) as terminal:
        assert terminal.wait_exit() == 0
        assert terminal.attributes()[3] & termios.ECHO


def test_what_is_below_the_last_column_can_be_erased() -> None:
    """On a screen that wraps nothing, as tuidbg's own."""
    emulator = Emulator(4, 2)
    emulator.feed(b"\x1b[?7l\x1b[2;1Hdown\x1b[1;1Hover\x1b[B\x1b[K")
    assert emulator.lines == ["over", "dow"]
