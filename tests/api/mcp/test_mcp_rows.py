"""Every row of both breakpoint tool sets is in the id of a test."""

from __future__ import annotations

import re
from pathlib import Path

ROWS = [
    *(f"R000-{number:02}" for number in range(1, 46)),
    *(f"R004-{number:02}" for number in range(1, 100)),
]


def told_rows() -> set[str]:
    """The rows that stand in the tests' ids."""
    found: set[str] = set()
    for file in Path(__file__).parent.glob("test_mcp_*.py"):
        if file.name != Path(__file__).name:
            found |= set(re.findall(r"R00[04]-\d{2}", file.read_text()))
    return found


def test_every_row_has_its_test() -> None:
    assert set(ROWS) - told_rows() == set()
