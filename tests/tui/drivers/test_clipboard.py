"""Copying: how much a terminal takes, and tmux where that is around."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tuidbg.tui.toolkit.drivers.clipboard import OSC52_LIMIT, TooLong, copy_text


def tmux_in(folder: Path, status: int = 0) -> Path:
    """A tmux that writes what it is told to a file."""
    told = folder / "told"
    script = folder / "tmux"
    script.write_text(
        f"#!{sys.executable}\nimport sys\n"
        f"text = ' '.join(sys.argv[1:]).encode() + b'|' + sys.stdin.buffer.read()\n"
        f"open({str(told)!r}, 'wb').write(text)\nsys.exit({status})\n",
        encoding="utf-8",
    )
    script.chmod(0o755)
    return told


async def test_by_the_terminal() -> None:
    written: list[str] = []
    assert await copy_text("a\udcff", written.append, {}) == ""
    assert written == ["a\\udcff"]
    await copy_text("x" * OSC52_LIMIT, written.append, {})
    with pytest.raises(TooLong, match="74,995 bytes are too many"):
        await copy_text("x" * (OSC52_LIMIT + 1), written.append, {})
    assert len(written) == 2


@pytest.mark.real
async def test_by_tmux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmux_in(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    written: list[str] = []
    text = "ä" * OSC52_LIMIT
    assert await copy_text(text, written.append, {"TMUX": "/tmp/tmux-0/default,1,0"}) == "tmux"
    assert told.read_bytes() == b"load-buffer -w -|" + text.encode()
    assert written == []


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("there_is_one", [True, False])
async def test_a_tmux_that_does_not_take_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there_is_one: bool
) -> None:
    if there_is_one:
        tmux_in(tmp_path, status=1)
    monkeypatch.setenv("PATH", str(tmp_path))
    written: list[str] = []
    assert await copy_text("short", written.append, {"TMUX": "/tmp/x,1,0"}) == ""
    assert written == ["short"]
