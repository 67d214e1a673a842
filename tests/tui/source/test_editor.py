"""The person's own editor: which it is, how each is told the line, and who waits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.screens import debugger
from tuidbg.tui.toolkit.external_editor import (
    EditorCall,
    editor_call,
    find_editor,
    run_beside,
    run_here,
)

SCREEN = {"DISPLAY": ":0"}


@pytest.mark.parametrize(
    ("editor", "command"),
    {
        "vi": "vi +7 F",
        "vim": "vim +7 F",
        "nvim -u NONE": "nvim -u NONE +7 F",
        "/usr/bin/nano": "/usr/bin/nano +7 F",
        "micro": "micro +7 F",
        "kak": "kak +7 F",
        "hx": "hx F:7",
        "helix": "helix F:7",
        "emacs -nw": "emacs -nw +7 F",
        "emacsclient -t": "emacsclient -t +7 F",
        "unheard-of": "unheard-of +7 F",
        "'my editor' --fast": "my editor|--fast|+7|F",
    }.items(),
)
def test_editors_in_the_terminal(editor: str, command: str) -> None:
    words = command.split("|") if "|" in command else command.split()
    assert editor_call(editor, "F", 7, SCREEN) == EditorCall(words, False)


@pytest.mark.parametrize(
    ("editor", "command"),
    {
        "code": "code --goto F:7",
        "code --wait": "code --goto F:7",
        "codium -n": "codium -n --goto F:7",
        "subl -w": "subl F:7",
        "zed": "zed F:7",
        "gvim -f": "gvim +7 F",
        "gedit": "gedit +7 F",
        "kate": "kate -l 7 F",
        "pycharm": "pycharm --line 7 F",
        "emacs": "emacs +7 F",
        "emacsclient": "emacsclient +7 F",
    }.items(),
)
def test_editors_with_a_window(editor: str, command: str) -> None:
    assert editor_call(editor, "F", 7, SCREEN) == EditorCall(command.split(), True)


def test_emacs_without_a_screen_is_in_the_terminal() -> None:
    assert editor_call("emacs", "F", 7, {}) == EditorCall(["emacs", "+7", "F"], False)


@pytest.mark.parametrize("editor", ["vim 'unfinished", "''"])
def test_what_is_no_command(editor: str) -> None:
    if editor == "''":
        assert editor_call(editor, "F", 7, {}).command[0] == ""
    else:
        with pytest.raises(ValueError):
            editor_call(editor, "F", 7, {})


def test_which_editor_it_is(tmp_path: Path) -> None:
    assert find_editor({"VISUAL": "hx", "EDITOR": "vi"}) == "hx"
    assert find_editor({"VISUAL": " ", "EDITOR": "vi"}) == "vi"
    nano = tmp_path / "nano"
    nano.write_text("#!/bin/sh\n")
    nano.chmod(0o755)
    assert find_editor({"PATH": str(tmp_path)}) == "nano"
    assert find_editor({"PATH": str(tmp_path / "empty")}) == ""


@pytest.mark.real
def test_what_can_not_be_run_is_said() -> None:
    sentence = "/nowhere/editor can't be run: No such file or directory"
    assert run_here(["/nowhere/editor"]) == sentence
    assert run_beside(["/nowhere/editor"]) == sentence


@pytest.mark.real
async def test_an_editor_with_a_window_runs_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "code"
    editor.write_text('#!/bin/sh\necho "$@" > "$(dirname "$0")/told"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", f"{editor} --wait")
    async with debugger(tmp_path) as bench:
        await bench.press("down", "down", "ctrl+e")
        assert "opened in" in bench.status
        told = tmp_path / "told"
        await bench.until(lambda: told.exists() and told.read_text(), "the editor has come")
        assert told.read_text() == f"--goto {tmp_path / 'parcels.py'}:3\n"


@pytest.mark.real
async def test_where_the_screen_can_not_be_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", "true")
    async with debugger(tmp_path) as bench:
        await bench.press("ctrl+e")
        assert "the screen can't be left here" in bench.status
        await bench.settled()


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize(
    ("editor", "said"),
    [("", "there is no editor: set $EDITOR"), ("vim 'x", "$EDITOR can't be parsed (vim 'x)")],
)
async def test_without_an_editor_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, editor: str, said: str
) -> None:
    async with debugger(tmp_path) as bench:
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", editor)
        monkeypatch.setenv("PATH", os.devnull)
        await bench.press("ctrl+e")
        assert said in bench.status
