"""Peculiarities of Rust programs: the entry point, values, names, panics.

Rust's ``main`` is called by a C function of that name. rustc has formatters for LLDB, which the
command ``rust-lldb`` loads; here they are loaded as well, if installed.
"""

from __future__ import annotations

import functools
import mmap
import os
import re
import shutil
import subprocess
from collections.abc import Collection
from pathlib import Path

PANIC = "panic"
"""The name of a stop at a panic, and of LLDB's breakpoint there."""

STOP_AT_PANICS = f"breakpoint set --name rust_panic --breakpoint-name {PANIC}"
"""The standard library has this function for debuggers: a panic calls it before it unwinds."""

_OWN = ("rust_variants.py", "rust_values.py")
"""tuidbg's own, in this folder: corrections and additions to rustc's formatters."""

_PATIENCE = 2.0
"""Seconds for rustc to print its location; it takes about 0.05."""

_MARK = b"rust_eh_personality"

_LEGACY = re.compile(rb"_ZN(?P<length>\d+)(?P<crate>[A-Za-z_]\w*?)4main17h[0-9a-f]{16}E")
_V0 = re.compile(rb"_RNvCs\w*?_(?P<length>\d+)(?P<crate>[A-Za-z_]\w*?)4main\b")


_NOT_LOADED = "WARNING:  Unable to resolve breakpoint"
"""Appended to the response if the program's libraries are not known yet, as when attaching."""

_SET = re.compile(r"Breakpoint (?P<id>\d+): ")
_HASH = re.compile(r"::h[0-9a-f]{16}$")
_ESCAPED = re.compile(r"\$(?:u(?P<code>[0-9a-f]+)|(?P<name>[A-Z]+))\$")
_ESCAPES = {
    "SP": "@",
    "BP": "*",
    "RF": "&",
    "LT": "<",
    "GT": ">",
    "LP": "(",
    "RP": ")",
    "C": ",",
}
"""Escapes of rustc's legacy mangling, whose other parts LLDB decodes as C++."""

_PATH = re.compile(r"\b(?:alloc|core|std)::(?:[a-z_0-9]+::)*(?=[A-Z])")
_DEFAULTS = re.compile(r", (?:Global|RandomState)(?=[,>])")
"""Default parameters of library types that are never written."""

_NUMBERS = {
    "unsigned __int128": "u128",
    "__int128": "i128",
    "unsigned char": "u8",
    "signed char": "i8",
    "unsigned short": "u16",
    "short": "i16",
    "unsigned int": "u32",
    "int": "i32",
    "unsigned long long": "u64",
    "unsigned long": "u64",
    "long long": "i64",
    "long": "i64",
    "char32_t": "char",
    "float": "f32",
    "double": "f64",
}
"""By LLDB's names, which are those of C; it does not distinguish ``usize`` from ``u64``."""
_NUMBER = re.compile(rf"(?<![\w:])(?:{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})(?![\w:])")


def rust_main(path: Path) -> str:
    """Return the full name of a Rust binary's ``main``; empty for others and stripped ones."""
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


def is_rust(path: Path) -> bool:
    """Return whether a binary was made by rustc."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(_MARK) >= 0
    except (OSError, ValueError):
        return False


@functools.cache
def formatter_commands(cwd: str) -> tuple[str, ...]:
    """Return the LLDB commands that load rustc's formatters; none if they are not installed.

    Runs the rustc selected in ``cwd``, once: that takes a moment.
    """
    rustc = shutil.which("rustc")
    if rustc is None:
        return ()
    try:
        told = subprocess.run(
            [rustc, "--print", "sysroot"],
            cwd=cwd,
            env={**os.environ, "RUSTUP_AUTO_INSTALL": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return ()
    folder = Path(told.stdout.strip(), "lib", "rustlib", "etc")
    script, commands = folder / "lldb_lookup.py", folder / "lldb_commands"
    if not script.is_file() or not commands.is_file() or '"' in str(folder):
        return ()
    # With a question mark lldb-dap prints only errors.
    return (
        f'?command script import "{script}"',
        f'?command source -s 1 "{commands}"',
        *(f'?command script import "{Path(__file__).with_name(name)}"' for name in _OWN),
    )


def demangled(name: str) -> str:
    """Convert a function name to Rust's: ``Box<T>::new``, not ``Box$LT$T$GT$::new::h0123…``."""
    short = _HASH.sub("", name)
    if short == name:
        return name

    def read(found: re.Match[str]) -> str:
        if found["code"]:
            return chr(int(found["code"], 16))
        return _ESCAPES.get(found["name"], found[0])

    parts = (re.sub(r"^_(?=\$)", "", part) for part in short.split("::"))
    return _ESCAPED.sub(read, "::".join(parts)).replace("..", "::")


def short_type(name: str) -> str:
    """Return a type as written in Rust code, without paths: ``Vec<Parcel>``.

    A pointer type is unchanged: values are set with it.
    """
    return name if name.endswith("*") else _DEFAULTS.sub("", _PATH.sub("", name))


def rust_type(name: str) -> str:
    """Return a type of a Rust program, in which LLDB uses C's names of numbers."""
    if name == "char":  # within another type it may be Rust's own
        return "i8"
    return name if name.endswith("*") else _NUMBER.sub(lambda told: _NUMBERS[told[0]], name)


class PanicStops:
    """Recognizes LLDB's breakpoint at panics by its number, read from LLDB's response."""

    def __init__(self) -> None:
        self._ids: set[int] = set()
        self._is_asked = self._is_answered = False
        self.is_rust = False
        """Whether the breakpoint was requested, as it is for Rust programs."""

    def read(self, text: str) -> bool:
        """Parse a line of LLDB; return whether it was about that breakpoint."""
        if text.strip() == f"(lldb) {STOP_AT_PANICS}":
            self._is_asked = self.is_rust = True
            return True
        found = _SET.match(text) if self._is_asked else None
        if found is not None:
            self._ids.add(int(found["id"]))
            self._is_asked, self._is_answered = False, True
            return True
        is_warned = self._is_answered and text.startswith(_NOT_LOADED)
        self._is_answered = False
        return is_warned

    def include(self, ids: Collection[int]) -> bool:
        """Return whether a stop at these breakpoints is only one at a panic."""
        return bool(ids) and self._ids.issuperset(ids)
