"""The known debug adapters, each with a profile, and those of the user.

The adapter for a file or a process is chosen here, too, without importing a profile.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.config.files import read_head
from tuidbg.config.launch import DEFAULT_ADAPTER, Plan

if TYPE_CHECKING:
    from tuidbg.config.adapter_settings import AdapterSettings


class KnownAdapter(msgspec.Struct, frozen=True):
    """An adapter: its profile (MODULE:CLASS), imported on demand, and what it debugs.

    ``patterns`` are those of file names, ``interpreters`` names in a script's first line,
    ``others`` describes further targets.
    """

    profile: str
    patterns: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    others: str = ""


NATIVE_ADAPTER = "lldb-dap"
"""The adapter of compiled programs and their core files."""

GO_ADAPTER = "dlv"
"""The adapter of Go programs, built or not."""

ADAPTERS: dict[str, KnownAdapter] = {
    DEFAULT_ADAPTER: KnownAdapter(
        "tuidbg.adapters.debugpy.profile:DebugpyProfile", ("*.py",), ("python",)
    ),
    NATIVE_ADAPTER: KnownAdapter(
        "tuidbg.adapters.lldb.profile:LldbProfile", others="compiled programs"
    ),
    GO_ADAPTER: KnownAdapter(
        "tuidbg.adapters.delve.profile:DelveProfile", ("*.go",), others="Go's programs"
    ),
    "js-debug": KnownAdapter(
        "tuidbg.adapters.javascript.profile:JavaScriptProfile",
        ("*.js", "*.mjs", "*.cjs"),
        ("node",),
    ),
}
"""The adapters by name, in the order of listings."""


def profile_for(plan: Plan) -> AdapterProfile:
    """Return the profile of a plan's adapter. Raises AdapterNotStarted for an unknown one."""
    return find_profile(plan.adapter)


def find_profile(name: str) -> AdapterProfile:
    """Return the named profile. Raises AdapterNotStarted."""
    known = ADAPTERS.get(name)
    if known is not None:
        module, _, profile = known.profile.partition(":")
        found: AdapterProfile = getattr(importlib.import_module(module), profile)()
        return found
    own = own_adapters()
    if name not in own:
        raise AdapterNotStarted(_explain_absence(name, own))
    from tuidbg.adapters.generic import GenericProfile

    return GenericProfile(own[name])


def own_adapters() -> Mapping[str, AdapterSettings]:
    """Return the user's adapters from ``config.toml``; built-in names mean the built-in ones."""
    from tuidbg.config.user_config import config_folder, load_user_config

    found = load_user_config(config_folder()).adapters
    return {name: each for name, each in found.items() if name not in ADAPTERS}


def _explain_absence(name: str, own: Mapping[str, AdapterSettings]) -> str:
    from tuidbg.config.user_config import config_folder, load_user_config

    for problem in load_user_config(config_folder()).problems:
        if f"[adapters.{name}]" in problem:
            return problem.rstrip(".")
    return f"there is no adapter {name}; tuidbg knows {', '.join([*ADAPTERS, *own])}"


_BINARIES = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")


def adapter_of(path: Path, head: bytes) -> str:
    """Return the adapter for a file, by its name and first bytes; "" if unknown.

    The user's own take precedence over built-in ones.
    """
    own = own_adapters()
    for name, each in own.items():
        if any(fnmatch(path.name, pattern) for pattern in each.patterns):
            return name
    for name, known in ADAPTERS.items():
        if any(fnmatch(path.name, pattern) for pattern in known.patterns):
            return name
    if path.is_dir() and any(path.glob("*.go")):
        return GO_ADAPTER
    if interpreter := interpreter_of(head):
        found = [name for name, each in own.items() if interpreter in each.interpreters]
        found += [name for name, each in ADAPTERS.items() if interpreter in each.interpreters]
        if found:
            return found[0]
    if head.startswith(_BINARIES):
        return GO_ADAPTER if _is_go(path) else NATIVE_ADAPTER
    return ""


def choose_adapter(path: Path, asked: str = "") -> tuple[str, dict[str, Any]]:
    """Return the adapter and its options for a file or folder; by default Python's.

    ``asked`` is a requested one: it need not be installed.
    """
    if path.suffix == ".py" and not asked:
        return DEFAULT_ADAPTER, {}
    head = read_head(path, 512)
    adapter = asked or adapter_of(path, head) or DEFAULT_ADAPTER
    return adapter, options_for(adapter, head)


def options_for(adapter: str, head: bytes) -> dict[str, Any]:
    """Return the adapter's options for a file that begins with ``head``."""
    return {"mode": "exec"} if adapter == GO_ADAPTER and head.startswith(_BINARIES) else {}


def attach_obstacle(pid: int) -> str:
    """Return why its adapter can't attach to a process; empty if no reason is known."""
    return find_profile(adapter_of_process(pid)).attach.obstacle(pid)


def adapter_of_process(pid: int) -> str:
    """Return the adapter for a process of this machine; debugpy's by default."""
    try:
        path = Path(f"/proc/{pid}/exe").readlink()
        with open(f"/proc/{pid}/exe", "rb") as file:
            head = file.read(4)
    except OSError:
        return DEFAULT_ADAPTER
    if re.match(r"(?:python|pypy)[\d.]*t?\Z", path.name) or _has_python(pid):
        return DEFAULT_ADAPTER
    found = [name for name, each in ADAPTERS.items() if path.name in each.interpreters]
    return (found or [adapter_of(path, head)])[0] or DEFAULT_ADAPTER


def _has_python(pid: int) -> bool:
    """Return whether a program embeds Python, as a web server may."""
    try:
        with open(f"/proc/{pid}/maps", "rb") as file:
            return re.search(rb"/(?:libpython|libpypy)[\w.+-]*\.so", file.read()) is not None
    except OSError:
        return True


def interpreter_of(head: bytes) -> str:
    """Return the interpreter in a script's first line; "" if there is none."""
    found = re.match(rb"#!\s*(\S+)[ \t]*([^\r\n]*)", head)
    if found is None:
        return ""
    name = PurePath(os.fsdecode(found[1])).name
    if name == "env":
        words = [w for w in os.fsdecode(found[2]).split() if not w.startswith("-") and "=" not in w]
        name = PurePath(words[0]).name if words else ""
    return name


def _is_go(path: Path) -> bool:
    """Return whether a binary was built by Go, which leaves this mark near its beginning."""
    return b"\xff Go buildinf:" in read_head(path, 16 * 1024 * 1024)
