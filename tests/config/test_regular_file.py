"""Tests what stands where a file should: it is told in words, and nothing waits for it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import await_nothing_left, run_tuidbg
from tuidbg.config.files import read_file, read_head, read_text

pytestmark = pytest.mark.full

GIGABYTE = 1 << 30


def _make_socket(path: Path) -> None:
    os.chdir(path.parent)  # its address may be of a hundred characters only
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path.name)


def _make_large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(GIGABYTE)


MAKERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "pipe": (os.mkfifo, "it is a named pipe, not a regular file"),
    "folder": (Path.mkdir, "it is a folder, not a regular file"),
    "socket": (_make_socket, "it is a socket, not a regular file"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "it is a device, not a regular file"),
    "gigabyte": (_make_large, "it is too large (1,073,741,824 bytes; 16,777,216 are the most)"),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_each_is_told_in_words(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make, sentence = MAKERS[kind]
    make(tmp_path / "file")
    with pytest.raises(OSError, match=r"it is ") as raised:
        read_file(tmp_path / "file")
    assert raised.value.strerror == sentence
    assert read_head(tmp_path / "file", 10) == (bytes(10) if kind == "gigabyte" else b"")


def test_a_file_that_tells_no_size_has_its_limit_all_the_same() -> None:
    assert read_file("/proc/self/status").startswith(b"Name:")
    with pytest.raises(OSError, match="too large"):
        read_file("/proc/self/status", limit=10)


def test_the_ends_of_lines_are_those_of_python(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree \xff\n")
    assert read_text(tmp_path / "file", "utf-8-sig", "replace") == "one\ntwo\nthree �\n"
    with pytest.raises(UnicodeDecodeError):
        read_text(tmp_path / "file")
    with pytest.raises(FileNotFoundError):
        read_text(tmp_path / "other")


def _replace(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)


@pytest.mark.real
@pytest.mark.parametrize("kind", ["pipe", "gigabyte"])
def test_tuidbg_starts_and_ends_whatever_stands_for_its_files(kind: str, tmp_path: Path) -> None:
    """All that a run reads or has written, the locks included."""
    make, sentence = MAKERS[kind]
    (tmp_path / "add.py").write_text("a = 1\nb = 2\n")
    with run_tuidbg(tmp_path, "add.py") as terminal:
        terminal.wait_for("add.py:1 <module>  entry")
        terminal.key(":")
        terminal.send("40 + 2\r")
        terminal.wait_for("42")
        terminal.wait_for("▌1 add.py")
        terminal.key("b", "w")
        terminal.send("a\r")
        terminal.key("f8", "ctrl+q")
        assert terminal.wait_exit(5) == 0
    home = tmp_path / "home"
    written = [path for path in home.rglob("*") if path.is_file()]
    names = {path.name for path in written}
    assert {"console-history.json", "remembered.json"} < names and len(names) > 4, names
    config = home / "config" / "tuidbg"
    own = [config / "config.toml", config / "themes" / "mine.toml", tmp_path / "pyproject.toml"]
    for path in (*written, *own, tmp_path / ".vscode" / "launch.json"):
        _replace(path, make)
    with run_tuidbg(tmp_path, "--theme", "mine", "add.py") as terminal:
        assert terminal.wait_exit(10) == 2
        assert "There is no theme 'mine'" in " ".join(terminal.text.split())
    with run_tuidbg(tmp_path, "add.py", columns=400, rows=60) as terminal:
        terminal.wait_for("add.py:1 <module>  entry")
        for name in ("config.toml: it", "mine.toml: it", "pyproject.toml: it", "saved breakpoints"):
            terminal.wait_for(f"{name} can't be read: {sentence}")
        terminal.key(":")
        terminal.send("40 + 2\r")
        terminal.wait_for("42")
        terminal.wait_for("▌1 add.py")
        terminal.key("b", "ctrl+q")
        assert terminal.wait_exit(5) == 0
        assert "Traceback" not in terminal.text
        await_nothing_left(terminal)
    with run_tuidbg(tmp_path, "run", "App", columns=400) as terminal:
        assert terminal.wait_exit(10) == 2
        told = "there is no .vscode/launch.json" if kind == "pipe" else f"can't be read: {sentence}"
        assert told in " ".join(terminal.text.split())


@pytest.mark.real
def test_a_pipe_is_no_program(tmp_path: Path) -> None:
    for name in ("pipe.py", "pipe"):
        os.mkfifo(tmp_path / name)
        with run_tuidbg(tmp_path, name) as terminal:
            assert terminal.wait_exit(10) == 2
            assert f"{name} is no ordinary file" in terminal.text
