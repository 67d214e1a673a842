"""Tells where a Rust program begins: its ``main`` is called by a C function of that name."""

from __future__ import annotations

import mmap
import re
from pathlib import Path

_MARK = b"rust_eh_personality"

_LEGACY = re.compile(rb"_ZN(?P<length>\d+)(?P<crate>[A-Za-z_]\w*?)4main17h[0-9a-f]{16}E")
_V0 = re.compile(rb"_RNvCs\w*?_(?P<length>\d+)(?P<crate>[A-Za-z_]\w*?)4main\b")


def rust_main(path: Path) -> str:
    """The full name of a Rust binary's ``main``; empty for any other, and for a stripped one."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if data.find(_MARK) < 0:
                return ""
            for pattern in (_LEGACY, _V0):
                for found in pattern.finditer(data):
                    if int(found["length"]) == len(found["crate"]):
                        return f"{found['crate'].decode()}::main"
    except (OSError, ValueError):
        return ""
    return ""
