"""The texts of what records inside a program, for whoever puts them there."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from tuidbg.recording import inside

COMPILED = "recorder.abi3.so"
RECORDER = "TUIDBG_RECORDER"
"""The environment variable that is ``compiled`` where the compiled recorder is wanted."""


def compiled_path() -> str:
    """Where the compiled recorder is, if it was built; empty where it is not wanted.

    It is an experiment, until it has recorded more programs than those of its tests.
    """
    if os.environ.get(RECORDER) != "compiled":
        return ""
    return str(Path(inside.__file__).with_name(COMPILED))


@cache
def recorder_text(part: str) -> str:
    """The text of one part."""
    return (Path(inside.__file__).parent / f"{part}.py").read_text(encoding="utf-8")


def recorder_texts() -> dict[str, str]:
    """By the names of the parts, in their order."""
    return {part: recorder_text(part) for part in inside.PARTS}
