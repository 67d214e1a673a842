"""Tests what a person has chosen, in the real command: theme, keys, config file, editor."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.support.command import TUIDBG, await_nothing_left, run_tuidbg
from tests.support.terminal import Terminal

pytestmark = [pytest.mark.real, pytest.mark.full]

PROGRAM = """\
def double(number):
    return number * 2

total = 0
for number in range(3):
    total += double(number)
print("to" "tal", total)
"""

EDITOR = """\
#!/bin/sh
echo "editor got $1 and $2"
read answer
case "$answer" in
    add) printf 'print("one more")\\n' >> "$2" ;;
esac
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sums.py").write_text(PROGRAM)
    return tmp_path


def write_config(folder: Path, text: str) -> None:
    place = folder / "home" / "config" / "tuidbg"
    place.mkdir(parents=True)
    (place / "config.toml").write_text(text)


def quit_by(terminal: Terminal, *keys: str) -> None:
    terminal.key(*keys)
    assert terminal.wait_exit(5.0) == 0
    await_nothing_left(terminal)


@pytest.mark.parametrize("term", ["linux", "xterm-16color", "xterm-256color"])
def test_the_ansi_theme_without_truecolor(folder: Path, term: str) -> None:
    env = {"TERM": term, "COLORTERM": None}
    with run_tuidbg(folder, "--theme", "ansi", "sums.py", env=env) as terminal:
        terminal.wait_for("paused")
        terminal.key("2")
        terminal.key("?")
        terminal.wait_for("Esc close")
        terminal.key("escape")
        terminal.wait_for(lambda text: "Esc close" not in text)
        written = terminal.raw
        assert not re.search(rb"[34]8;[25];", written)
        assert re.search(rb"\x1b\[[0-9;]*9[0-7]", written) or term == "linux"
        quit_by(terminal, "ctrl+q")


def test_a_key_map_by_option(folder: Path) -> None:
    with run_tuidbg(folder, "--keys", "pdb", "sums.py") as terminal:
        terminal.wait_for("Shift+F11 out")
        terminal.wait_for("sums.py:1")
        terminal.send("n\r")
        terminal.wait_for("sums.py:4")
        terminal.send(":unt 6\r")
        terminal.wait_for("sums.py:6")
        terminal.send(":p number + 40\r")
        terminal.wait_for("= 40")
        terminal.key("s")
        terminal.wait_for("double")
        terminal.key("r")
        terminal.wait_for("sums.py:6")
        quit_by(terminal, "ctrl+q")


def test_the_config_file_is_obeyed_and_its_mistakes_are_told(folder: Path) -> None:
    write_config(folder, '[keys]\nmap = "vim"\nstep_over = ["Ctrl+N"]\nstepover = "x"\n')
    with run_tuidbg(folder, "sums.py") as terminal:
        terminal.wait_for("[keys] stepover: there is no such command; step_over is one.")
        terminal.wait_for("Ctrl+N over")
        terminal.wait_for("paused")
        terminal.key("j", "j")
        terminal.send(":q\r")
        assert terminal.wait_exit(5.0) == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[keys\n", "not valid TOML"),
        ('[keys]\nmap = "emacs"\n', "There is no key map 'emacs'"),
        ("[colours]\n", "there is no setting 'colours'"),
        ('theme = "nope"\n', "There is no theme 'nope'"),
    ],
)
def test_a_broken_config_file_is_never_fatal(folder: Path, text: str, said: str) -> None:
    write_config(folder, text)
    with run_tuidbg(folder, "sums.py") as terminal:
        terminal.wait_for(said)
        terminal.wait_for("c continue")
        terminal.wait_for("paused")
        quit_by(terminal, "ctrl+q")


def test_a_broken_theme_is_told_and_a_good_one_taken(folder: Path) -> None:
    write_config(folder, "")
    themes = folder / "home" / "config" / "tuidbg" / "themes"
    themes.mkdir()
    shipped = Path(__file__).parents[2] / "themes" / "dark.toml"
    (themes / "mine.toml").write_text(shipped.read_text().replace('"dark"', '"mine"'))
    (themes / "bad.toml").write_text('name = "bad"\n')
    with run_tuidbg(folder, "--theme", "mine", "sums.py") as terminal:
        terminal.wait_for("Theme file bad.toml: 'dark' must be true or false.")
        terminal.wait_for("paused")
        quit_by(terminal, "ctrl+q")


def test_an_unknown_key_map_is_refused_before_the_screen(folder: Path) -> None:
    with run_tuidbg(folder, "--keys", "emacs", "sums.py") as terminal:
        assert terminal.wait_exit(10.0) == 2
        assert (
            "tuidbg: --keys: There is no key map 'emacs'; there are: default, pdb, vscode, vim."
            in terminal.text
        )
        assert b"\x1b[?1049h" not in terminal.raw


def test_the_choice_of_a_map_is_remembered(folder: Path) -> None:
    with run_tuidbg(folder, "sums.py") as terminal:
        terminal.wait_for("paused")
        terminal.key("f7")
        terminal.wait_for("Key map")
        terminal.key("4")
        terminal.wait_for("F10 over")
        quit_by(terminal, "ctrl+q")
    with run_tuidbg(folder, "sums.py") as terminal:
        terminal.wait_for("F10 over")
        terminal.wait_for("paused")
        quit_by(terminal, "ctrl+q")


def test_the_editor_gets_the_screen_and_the_next_run_its_text(folder: Path) -> None:
    editor = folder / "edit"
    editor.write_text(EDITOR)
    editor.chmod(0o755)
    with run_tuidbg(folder, "sums.py", env={"EDITOR": str(editor), "VISUAL": None}) as terminal:
        terminal.wait_for("paused")
        terminal.wait_for("sums.py:1")
        terminal.key("down", "down", "down", "ctrl+e")
        terminal.wait_for(f"editor got +4 and {folder / 'sums.py'}")
        terminal.send("add\r")
        terminal.wait_for("c continue")
        terminal.wait_for("older code: the file has changed since; R runs the new one")
        terminal.key("R", "R")
        terminal.wait_for("one more")
        terminal.wait_for("sums.py:1")
        terminal.send("n\r")
        terminal.wait_for("sums.py:4")
        quit_by(terminal, "ctrl+q")


def test_ctrl_c_in_the_editor_is_not_for_tuidbg(folder: Path) -> None:
    editor = folder / "edit"
    editor.write_text("#!/bin/sh\ntrap 'echo inter''rupted' INT\necho read''y\nread a\nread b\n")
    editor.chmod(0o755)
    with run_tuidbg(folder, "sums.py", env={"EDITOR": str(editor), "VISUAL": None}) as terminal:
        terminal.wait_for("paused")
        terminal.key("ctrl+e")
        terminal.wait_for("ready")
        terminal.send("\x03")
        terminal.wait_for("interrupted")
        terminal.send("\r\r")
        terminal.wait_for("c continue")
        terminal.key("n")
        terminal.wait_for("sums.py:4")
        quit_by(terminal, "ctrl+q")


def test_the_end_of_tuidbg_waits_for_the_editor(folder: Path) -> None:
    editor = folder / "edit"
    editor.write_text("#!/bin/sh\necho read''y\nread a\n")
    editor.chmod(0o755)
    with run_tuidbg(folder, "sums.py", env={"EDITOR": str(editor), "VISUAL": None}) as terminal:
        terminal.wait_for("paused")
        terminal.key("ctrl+e")
        terminal.wait_for("ready")
        os.kill(terminal.pid, 15)
        terminal.send("\r")
        assert terminal.wait_exit(5.0) == 128 + 15
        await_nothing_left(terminal)


def test_ctrl_z_in_the_editor_leads_to_the_shell(folder: Path) -> None:
    editor = folder / "edit"
    editor.write_text("#!/bin/sh\necho read''y\nread a\necho back in the ed''itor\nread b\n")
    editor.chmod(0o755)
    shell = ("bash", "--norc", "--noprofile", "-i")
    env = {"PS1": "SHELL> ", "HISTFILE": None, "EDITOR": str(editor), "VISUAL": None}
    words = " ".join(f"'{word}'" for word in [*TUIDBG, "sums.py"])
    with run_tuidbg(folder, command=shell, env=env) as terminal:
        terminal.wait_for("SHELL>")
        terminal.send(f"{words}\r")
        terminal.wait_for("paused")
        terminal.key("ctrl+e")
        terminal.wait_for("ready")
        terminal.key("ctrl+z")
        # Keys that come before the shell reads again are not always kept.
        terminal.wait_for(lambda text: "SHELL>" in text.partition("Stopped")[2])
        terminal.send("fg\r")
        terminal.wait_for(lambda text: text.count("sums.py'") == 3)
        terminal.settle()
        terminal.send("\r")
        terminal.wait_for("back in the editor")
        terminal.send("\r")
        terminal.wait_for("c continue")
        terminal.key("n")
        terminal.wait_for("sums.py:4")
        terminal.key("ctrl+q")
        terminal.wait_for(lambda text: text.count("SHELL>") == 3)  # it asks for a command again
        terminal.send("exit\r")
        terminal.wait_exit(5.0)
