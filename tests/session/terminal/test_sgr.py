"""Tests which colours are in force after which sequences."""

from __future__ import annotations

import pytest

from tuidbg.session.core.terminal.text import apply_sgr, sgr_attributes


@pytest.mark.parametrize(
    ("state", "parameters", "expected"),
    [
        ("", "31", "31"),
        ("31", "", ""),
        ("31", "0", ""),
        ("", "1;31", "1;31"),
        ("", "31;1", "1;31"),
        ("1;31", "32", "1;32"),
        ("1;31", "22", "31"),
        ("1;2;31", "22", "31"),
        ("31", "39", ""),
        ("", "0;4;0;7", "7"),
        ("", "38;5;200", "38;5;200"),
        ("", "48;2;1;2;3", "48;2;1;2;3"),
        ("", "38;5;200;1", "1;38;5;200"),
        ("", "38:5:200", "38;5;200"),
        ("", "38:2:1:2:3", "38;2;1;2;3"),
        ("", "38:2::1:2:3", "38;2;1;2;3"),
        ("", "4:3", "4"),
        ("4", "4:0", ""),
        ("", "21", "4"),
        ("", "97;107", "107;97"),
        ("31", "38;5", "31"),
        ("31", "38;2;1;2", "31"),
        ("31", "38;5;256", "31"),
        ("31", "38;9;1", "1;31"),
        ("31", "999", "31"),
        ("31", ":", "31"),
        ("31", "38:", "31"),
        ("31", ";;", ""),
    ],
)
def test_apply(state: str, parameters: str, expected: str) -> None:
    assert apply_sgr(state, parameters) == expected


def test_a_state_says_what_is_in_force() -> None:
    state = apply_sgr(apply_sgr("", "1;38;5;12"), "44;3")
    assert dict(sgr_attributes(state)) == {
        "bold": "1",
        "italic": "3",
        "foreground": "38;5;12",
        "background": "44",
    }
    assert sgr_attributes("") == []
