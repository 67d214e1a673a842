"""The recorder's namespace in the program itself, where nobody debugs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from types import CodeType
from typing import Any

from tuidbg.recording.texts import recorder_text


@cache
def _code(part: str) -> CodeType:
    return compile(recorder_text(part), f"<tuidbg {part}>", "exec", dont_inherit=True)


def make_namespace(parts: Iterable[str]) -> dict[str, Any]:
    """A new one, in which nothing has been recorded."""
    space: dict[str, Any] = {"__name__": "tuidbg recorder"}
    for part in parts:
        exec(_code(part), space)
    return space
