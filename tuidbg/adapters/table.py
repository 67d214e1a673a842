"""The debug adapters that tuidbg knows, each a profile of its own, and those of a person's own.

What a file or a process is debugged by is found here, too; no profile is imported for that.
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


class Known(msgspec.Struct, frozen=True):
    """An adapter: its profile (MODULE:CLASS), imported when one is wanted, and what it debugs.

    ``patterns`` are those of file names, ``interpreters`` names in a script's first line,
    ``others`` says in words what else.
    """

    profile: str
    patterns: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    others: str = ""


NATIVE_ADAPTER = "lldb-dap"
"""The adapter of compiled programs, and of the core files that they have left."""

GO_ADAPTER = "dlv"
"""The adapter of Go's programs, built or not."""

ADAPTERS: dict[str, Known] = {
    DEFAULT_ADAPTER: Known(
        "tuidbg.adapters.debugpy.profile:DebugpyProfile", ("*.py",), ("python",)
    ),
    NATIVE_ADAPTER: Known("tuidbg.adapters.lldb.profile:LldbProfile", others="compiled programs"),
    GO_ADAPTER: Known(
        "tuidbg.adapters.delve.profile:DelveProfile", ("*.go",), others="Go's programs"
    ),
    "js-debug": Known(
        "tuidbg.adapters.javascript.profile:JavaScriptProfile",
        ("*.js", "*.mjs", "*.cjs"),
        ("node",),
    ),
}
"""By their names, in the order in which they are listed."""


def profile_for(plan: Plan) -> AdapterProfile:
    """The profile of a plan's adapter. Raises AdapterNotStarted for one that nobody knows."""
    return find_profile(plan.adapter)


def find_profile(name: str) -> AdapterProfile:
    """The profile of that name. Raises AdapterNotStarted."""
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
    """The person's own, of ``config.toml``; names that are built in mean the built-in ones."""
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
    """Names the adapter that debugs a file, by its name and first bytes; "" where none is known.

    The person's own come before those that are built in.
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
    """The adapter of a program's file or folder, and its options; Python's where none is known.

    ``asked`` is one that was named: it need not be there.
    """
    if path.suffix == ".py" and not asked:
        return DEFAULT_ADAPTER, {}
    head = read_head(path, 512)
    adapter = asked or adapter_of(path, head) or DEFAULT_ADAPTER
    return adapter, options_for(adapter, head)


def options_for(adapter: str, head: bytes) -> dict[str, Any]:
    """Returns what an adapter must be told of a file that begins by ``head``."""
    return {"mode": "exec"} if adapter == GO_ADAPTER and head.startswith(_BINARIES) else {}


def attach_obstacle(pid: int) -> str:
    """Returns why its adapter can't be attached to a process; empty where nothing is known."""
    return find_profile(adapter_of_process(pid)).attach.obstacle(pid)


def adapter_of_process(pid: int) -> str:
    """Names the adapter that debugs a process of this machine; debugpy's where unknown."""
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
    """Returns whether a program has Python built in, as a web server may."""
    try:
        with open(f"/proc/{pid}/maps", "rb") as file:
            return re.search(rb"/(?:libpython|libpypy)[\w.+-]*\.so", file.read()) is not None
    except OSError:
        return True


def interpreter_of(head: bytes) -> str:
    """The name of the interpreter in a script's first line; "" where it names none."""
    found = re.match(rb"#!\s*(\S+)[ \t]*([^\r\n]*)", head)
    if found is None:
        return ""
    name = PurePath(os.fsdecode(found[1])).name
    if name == "env":
        words = [w for w in os.fsdecode(found[2]).split() if not w.startswith("-") and "=" not in w]
        name = PurePath(words[0]).name if words else ""
    return name


def _is_go(path: Path) -> bool:
    """Returns whether a binary was built by Go, which leaves this mark near its beginning."""
    return b"\xff Go buildinf:" in read_head(path, 16 * 1024 * 1024)
