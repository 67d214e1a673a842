"""The texts of what records inside a program, for whoever puts them there."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tuidbg.recording import inside


@cache
def recorder_texts() -> dict[str, str]:
    """By the names of the parts, in their order."""
    folder = Path(inside.__file__).parent
    return {part: (folder / f"{part}.py").read_text(encoding="utf-8") for part in inside.PARTS}
