"""Rows are complete, are all tried by ten shares, and say why one can't be tried."""

from __future__ import annotations

import sys

import pytest

from tests.compatibility import __main__ as command
from tests.compatibility.row import ROWS, Row


def test_rows_are_pinned_and_say_what_works() -> None:
    assert len(ROWS) >= 45
    for each in ROWS.values():
        assert all("==" in pin for pin in each.pins), each.name
        assert each.works.endswith(".") and each.works != ".", each.name
        assert all(not text or text.endswith(".") for text in (each.fails, each.needs)), each.name


def test_ten_shares_in_a_row_are_all_rows() -> None:
    shares = [command.choose(share=f"{number}/10") for number in range(417, 427)]
    names = [each.name for share in shares for each in share]
    assert sorted(names) == sorted(ROWS)
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


async def _play(trial: object) -> None:
    raise AssertionError("it has been tried")


def test_a_row_that_can_not_be_tried_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    row = Row("far", "Far", "Group", (), {}, (), _play, "It works.", python="9.9")
    assert command.try_all([row], within=None) == 3
    said = capsys.readouterr().out
    assert "NOT TRIED far: there is no Python 9.9" in said
    assert "compatibility: 0 as the page says, 0 not, 1 not tried" in said


@pytest.mark.real
def test_packages_that_can_not_be_had_are_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_CACHE_DIR", f"{tmp_path}/uv")
    version = "{}.{}".format(*sys.version_info[:2])
    pins = ("trio==0.35.0",)
    row = Row("far", "Far", "Group", pins, {}, (), _play, "It works.", python=version)
    assert command.try_all([row], within=None) == 3
    assert "NOT TRIED far: uv pip install failed: " in capsys.readouterr().out
