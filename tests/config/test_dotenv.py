"""Files of environment variables, as python-dotenv and VS Code read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuidbg.config.dotenv import parse_dotenv


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("X=a#b", "a#b"),
        ("X=a #b", "a"),
        ("X=#b", ""),
        ("X= # nothing", ""),
        ('X="a #b" # why', "a #b"),
        ("X='a #b'# why", "a #b"),
        ("X=${env:HOME}/x", "/home/ann/x"),
        ("X=${HOME}/x", "/home/ann/x"),
        ("X='${env:HOME}'", "${env:HOME}"),
        ("X=${env:NOWHERE:-there}", "there"),
        ("X=${env:-it is a name}", "it is a name"),
        ("X=a\r", "a"),
    ],
)
def test_the_value_of_a_line(line: str, value: str) -> None:
    found = parse_dotenv(f"{line}\nY=1\n", {"HOME": "/home/ann"}, Path(".env"))
    assert found == {"X": value, "Y": "1"}
