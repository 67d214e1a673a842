"""Every row of the REST contract is in the id of a test, or here with the reason why not."""

from __future__ import annotations

import re
from pathlib import Path

ROWS = [f"R003-{number:03}" for number in range(1, 235)]

ELSEWHERE = {
    "R003-021": "every test's answers are checked for `details` (support/relay.py: Answer)",
    "R003-070": "test_rest_sessions.py, by its name",
    "R003-189": "tests/session/test_feed.py: the session's categories and what they are served as",
    "R003-226": "test_rest_openapi.py; the title is tuidbg's own",
}
"""Rows whose test has them not in its id, or that hold for all tests."""


def told_rows() -> set[str]:
    """The rows that stand in the tests' ids: by ``rows``, by the ids of parameters, by names."""
    found: set[str] = set()
    for file in Path(__file__).parent.glob("test_rest_*.py"):
        if file.name == Path(__file__).name:
            continue
        text = file.read_text()
        found |= set(re.findall(r"R003-\d{3}", text))
        for run in re.findall(r'id="(R003(?:-\d{3})+)', text):
            found |= {f"R003-{number}" for number in re.findall(r"\d{3}(?=-|$)", run[5:])}
        for name in re.findall(r"def test_\w*?_r003((?:_\d{3})+)", text):
            found |= {f"R003-{number}" for number in name.split("_")[1:]}
    return found


def test_every_row_has_its_test() -> None:
    assert set(ROWS) - told_rows() - ELSEWHERE.keys() == set()


def test_reasons_are_of_rows() -> None:
    assert ELSEWHERE.keys() <= set(ROWS) and all(ELSEWHERE.values())
