"""Facts of native executables: processor, system, sources.

Parsed from the file; nothing is run, no debugger is used.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePath

import msgspec

_ELF = b"\x7fELF"
_MACH_O = b"\xcf\xfa\xed\xfe"
_MACH_O_FAT = b"\xca\xfe\xba\xbe"

_ELF_MACHINES = {
    3: "i386",
    8: "mips",
    20: "powerpc",
    21: "powerpc64",
    22: "s390x",
    40: "arm",
    62: "x86_64",
    183: "aarch64",
    243: "riscv64",
    258: "loongarch64",
}
_MACH_MACHINES = {0x0100_0007: "x86_64", 0x0100_000C: "arm64"}

_ELF_CORE = 4


class Binary(msgspec.Struct, frozen=True):
    """An executable. ``arch`` and ``triple`` are LLDB's words, empty if unknown."""

    arch: str = ""
    triple: str = ""
    is_core: bool = False


def read_binary(path: Path) -> Binary | None:
    """Return the facts of an executable or core file; None for any other or missing file.

    Blocks for a moment.
    """
    try:
        with path.open("rb") as file:
            head = file.read(20)
    except OSError:
        return None
    if head.startswith(_ELF) and len(head) == 20:
        order = "big" if head[5] == 2 else "little"
        arch = _ELF_MACHINES.get(int.from_bytes(head[18:20], order), "")  # type: ignore[arg-type]
        kind = int.from_bytes(head[16:18], order)  # type: ignore[arg-type]
        triple = f"{arch}-pc-linux-gnu" if arch in ("x86_64", "i386") else f"{arch}-unknown-linux"
        return Binary(arch, triple if arch else "", is_core=kind == _ELF_CORE)
    if head.startswith(_MACH_O):
        arch = _MACH_MACHINES.get(int.from_bytes(head[4:8], "little"), "")
        return Binary(arch, f"{arch}-apple-macosx" if arch else "")
    return Binary() if head.startswith(_MACH_O_FAT) else None


_SEARCHED = 512 * 1024 * 1024
"""Maximum bytes of an executable searched for source names."""

_SEARCHED_FOR_FOLDERS = 64 * 1024 * 1024
_MOST_STRINGS = 5_000
_LONGEST_PATH = 1_000

_TEXT_BEFORE = re.compile(rb"[\x20-\x7e]*\Z")
_FOLDER = re.compile(rb"(?<![\x20-\x7e])/[\x20-\x7e]{1,1000}\0")


def find_sources(path: Path, name: str) -> Sequence[str]:
    """Return the sources of that name (or whose paths end with it) of an executable.

    They are found by name in the debug information, if that is neither compressed nor in another
    file. Sources on this machine come first. Blocks.
    """
    last = os.fsencode(PurePath(name).name)
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            names = set(_strings_ending(data, last + b"\0"))
            relative = [each for each in names if not each.startswith("/")]
            found = {each for each in names if each.startswith("/")}
            if relative:
                folders = set(_folders(data))
                found |= {f"{folder}/{each}" for folder in folders for each in relative}
    except (OSError, ValueError):  # it is empty, say
        return ()
    tidy = sorted({os.path.normpath(each) for each in found})
    wanted = PurePath(os.path.normpath(name)).parts
    fitting = [each for each in tidy if PurePath(each).parts[-len(wanted) :] == wanted]
    here = [each for each in fitting if Path(each).is_file()]
    return here or [each for each in fitting if each in names]


def _strings_ending(data: mmap.mmap, end: bytes) -> Iterator[str]:
    """Yield the texts with this ending, whole path components only.

    Anything may precede the first text of a section, so a text begins where it is printable.
    """
    at, count = data.find(end, 0, _SEARCHED), 0
    while at >= 0 and count < _MOST_STRINGS:
        found = _TEXT_BEFORE.search(data[max(0, at - _LONGEST_PATH) : at])
        before = found[0] if found is not None else b""
        if not before or before.endswith(b"/"):
            yield (before + end[:-1]).decode("ascii", "replace")
        at, count = data.find(end, at + 1, _SEARCHED), count + 1


def _folders(data: mmap.mmap) -> Iterator[str]:
    """Yield the local folders among the texts: the compiler ran in one of them."""
    for found in islice(_FOLDER.finditer(data, 0, _SEARCHED_FOR_FOLDERS), _MOST_STRINGS):
        text = found[0][:-1].decode()
        if os.path.isdir(text):  # noqa: PTH112, it may be rubbish
            yield text
