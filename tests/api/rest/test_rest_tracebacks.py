"""Tracebacks are told as Python itself prints them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.relay import relay

pytestmark = pytest.mark.real

CHAINED = """\
def inner(n):
    if n:
        return inner(n - 1)
    return {}["k"]


def middle():
    try:
        inner(1)
    except KeyError as error:
        raise ValueError("bad\\nvalue: \\nTraceback") from error


def outer():
    try:
        middle()
    except ValueError:
        raise RuntimeError


outer()
"""

DEEP = """\
def inner(n):
    if n:
        return inner(n - 1)
    return int(
        "x",
        10,
    )


def outer():
    text = f'''
{inner(
    8,
)}
no indent
'''


outer()
"""

HIDDEN = """\
def inner():
    int("x")


def outer():
    try:
        inner()
    except ValueError:
        raise KeyError("bad") from None


try:
    outer()
except KeyError:
    raise RuntimeError("worse")
"""

_MARKS = re.compile(r"^ *[~^]+ *\n", re.MULTILINE)
_BELOW = re.compile(r'(^  File ".*\n    .*\n)(?: {4,}.*\n|\n)+', re.MULTILINE)


def own_words(text: str) -> str:
    """Without what Python's versions write in different ways: marks, the rest of statements."""
    return _BELOW.sub(r"\1", _MARKS.sub("", text))


def stderr_of(path: Path) -> str:
    """Returns what the program says without a debugger."""
    words = [sys.executable, "-I", str(path)]
    return subprocess.run(words, capture_output=True, text=True, check=False).stderr


@pytest.mark.sampled
@pytest.mark.parametrize("text", [CHAINED, DEEP, HIDDEN, 'raise ValueError("x: y\\n")\n'])
async def test_they_read_as_python_prints_them(text: str, tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    path.write_text(text)
    printed = stderr_of(path)
    async with relay() as client:
        await client.launch(path)
        caught = (await client.until_status("paused"))["exception"]
        (stopped,) = [e["body"] for e in await client.all_events() if e["type"] == "stopped"]
    assert own_words(caught["traceback"]) == own_words(printed)
    assert stopped["exception_info"]["details"]["stack_trace"] == caught["traceback"]
    message = f": {caught['message']}" if caught["message"] else ""
    assert caught["traceback"].endswith(f"\n{caught['type']}{message}\n")
