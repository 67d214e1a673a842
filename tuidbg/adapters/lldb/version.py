"""The version of lldb-dap, and the missing features of those before 20."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import msgspec

from tuidbg.adapters.discovery.packages import PATIENCE, Packages, install_command
from tuidbg.adapters.lldb.expressions import command
from tuidbg.adapters.native import Ask
from tuidbg.dap.codec import encode_frame
from tuidbg.dap.types import BreakpointsBody, Capabilities

OLDER = 20
"""Versions before it have gaps, filled by LLDB commands as far as possible (``older.py``)."""

_INITIALIZE = {"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": ""}}
_TOLD = re.compile(r"lldb version (\d+[\w.]*)")


def is_older_path(path: str) -> bool:
    """Return whether it is in a package folder of an older one (``llvm-19/bin``), or so named."""
    found = re.search(r"(?:llvm|lldb-dap)-(\d+)", str(Path(path).resolve()))
    return found is not None and int(found[1]) < OLDER


def ask_by_dap(path: str) -> str:
    """Return the version in its greeting: 19 has no ``--version``. Blocks; may be ""."""
    greeting = encode_frame(json.dumps(_INITIALIZE).encode())
    try:
        told = subprocess.run(
            [path],
            input=greeting,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = _TOLD.search(told.decode("utf-8", "replace"))
    return found[1] if found is not None else ""


def gaps_of(version: str, packages: Packages) -> str:
    """Return missing features in a sentence, and how to get a newer version; "" if unknown.

    Blocks: it runs the package manager.
    """
    number = _number(version)
    if not 0 < number < OLDER:
        return ""
    gaps = (
        f"lldb-dap {version} does not tell what a call has returned, nor in core files at which"
        " address memory was used wrongly, and misreads arrays in unions; a newer one does better"
    )
    command = install_command(packages)
    newest = re.search(r"lldb-(\d+)", command)
    is_newer = newest is not None and int(newest[1]) > number
    return f"{gaps}: {command}" if is_newer else gaps


def _number(version: str) -> int:
    found = re.match(r"\d+", version)
    return int(found[0]) if found is not None else 0


_WATCHED = re.compile(
    r"^Watchpoint (?P<id>\d+): addr = (?P<address>0x[0-9a-f]+) size = (?P<size>\d+)", re.MULTILINE
)


async def set_data(ask: Ask, arguments: dict[str, Any]) -> BreakpointsBody:
    """Set watchpoints; if the reply has no ids, read them from LLDB's own list."""
    told = await ask("setDataBreakpoints", arguments, into=BreakpointsBody)
    if all(each.id is not None for each in told.breakpoints if each.verified):
        return told
    listed = await command(ask, "watchpoint list --verbose")
    ids = {
        (int(found["address"], 16), int(found["size"])): int(found["id"])
        for found in _WATCHED.finditer(listed)
    }
    numbered = []
    for asked, each in zip(arguments["breakpoints"], told.breakpoints, strict=False):
        address, _, size = asked["dataId"].partition("/")
        number = ids.get((int(address, 16), int(size)))
        numbered.append(msgspec.structs.replace(each, id=number))
    return BreakpointsBody(breakpoints=numbered)


class WatchpointIds:
    """``StandIn`` for lldb-dap 20 and later."""

    commands = frozenset({"setDataBreakpoints"})

    def capabilities(self, told: Capabilities) -> Capabilities:
        return told

    async def answer(self, ask: Ask, command: str, arguments: dict[str, Any]) -> object:
        return await set_data(ask, arguments)
