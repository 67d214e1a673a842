"""A check whether a file is a program that this machine can run, before LLDB starts."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from tuidbg.adapters.discovery.binaries import read_binary

_NAMES = {"i386": "32-bit x86", "x86_64": "64-bit x86", "aarch64": "64-bit ARM", "arm64": "ARM"}

_ALIASES = {"amd64": "x86_64", "arm64": "aarch64", "i686": "i386", "armv7l": "arm"}

_RUN_TOO = (("i386", "x86_64"), ("arm", "aarch64"))
"""Architectures that some machines run in addition to their own."""

_MINIDUMP = b"MDMP"


def binary_problem(path: Path) -> str:
    """Return why it can't be debugged, in a sentence; empty if no reason is known."""
    if not path.exists():
        return f"there is no file {path}"
    if path.is_dir():
        return f"{path} is a folder; name the program in it"
    try:
        with path.open("rb") as file:
            head = file.read(64)
    except OSError as error:
        return f"{path} can't be read: {error.strerror}"
    if head.startswith(b"#!"):
        line = head.split(b"\n")[0].decode("utf-8", "replace")
        return f"{path.name} is a script ({line}), not a binary"
    if not os.access(path, os.X_OK):
        return f"{path} may not be executed; `chmod +x {path}` makes that possible"
    if not head:
        return f"{path} is empty"
    found = read_binary(path)
    if found is None:
        return ""
    if found.is_core:
        return f"{path.name} is a core file: tuidbg --core {path.name} PROGRAM"
    return _machine_problem(path, found.arch)


def core_problem(path: Path) -> str:
    """Return why it is no core file, in a sentence; empty if it may be one."""
    if not path.is_file():
        return f"there is no file {path}"
    try:
        with path.open("rb") as file:
            is_minidump = file.read(4) == _MINIDUMP
    except OSError as error:
        return f"{path} can't be read: {error.strerror}"
    found = read_binary(path)
    if is_minidump or (found is not None and found.is_core):
        return ""
    return f"{path.name} is no core file"


def _machine_problem(path: Path, built_for: str) -> str:
    machine = platform.machine().lower()
    own = _ALIASES.get(machine, machine)
    built_for = _ALIASES.get(built_for, built_for)
    if not built_for or built_for == own or (built_for, own) in _RUN_TOO:
        return ""
    other, here = _NAMES.get(built_for, built_for), _NAMES.get(own, own)
    return f"{path.name} was built for {other}, and this machine is {here}"
