"""The debug adapters that tuidbg knows, each a profile of its own."""

from __future__ import annotations

import importlib
from pathlib import Path

from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.config.launch import Plan

ADAPTERS = {
    "debugpy": "tuidbg.adapters.debugpy.profile:DebugpyProfile",
    "lldb-dap": "tuidbg.adapters.lldb.profile:LldbProfile",
    "dlv": "tuidbg.adapters.delve.profile:DelveProfile",
}
"""Their names and where their profiles are; imported when one is wanted."""


def profile_for(plan: Plan) -> AdapterProfile:
    """The profile of a plan's adapter. Raises AdapterNotStarted for one that nobody knows."""
    return find_profile(plan.adapter)


def find_profile(name: str) -> AdapterProfile:
    """The profile of that name. Raises AdapterNotStarted."""
    try:
        module, _, profile = ADAPTERS[name].partition(":")
    except KeyError:
        known = ", ".join(ADAPTERS)
        raise AdapterNotStarted(f"there is no adapter {name}; tuidbg knows {known}") from None
    found: AdapterProfile = getattr(importlib.import_module(module), profile)()
    return found


_BINARIES = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")


def adapter_of(path: Path, head: bytes) -> str:
    """Which adapter debugs that file, by its name and its first bytes; "" where none is known."""
    if path.suffix == ".go" or (path.is_dir() and any(path.glob("*.go"))):
        return "dlv"
    if head.startswith(_BINARIES):
        return "dlv" if _is_go(path) else "lldb-dap"
    return ""


def _is_go(path: Path) -> bool:
    """Whether a binary was built by Go, which leaves this mark near its beginning."""
    try:
        with path.open("rb") as file:
            return b"\xff Go buildinf:" in file.read(16 * 1024 * 1024)
    except OSError:
        return False
