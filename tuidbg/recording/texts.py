"""The texts of what records inside a program, for whoever puts them there."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tuidbg.recording import inside


@cache
def recorder_text(part: str) -> str:
    """The text of one part."""
    return (Path(inside.__file__).parent / f"{part}.py").read_text(encoding="utf-8")


def recorder_texts() -> dict[str, str]:
    """By the names of the parts, in their order."""
    return {part: recorder_text(part) for part in inside.PARTS}
