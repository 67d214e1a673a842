"""Installation commands for missing adapters on this system.

The package manager is run if a package name contains a version.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence

import msgspec

PATIENCE = 3.0
"""Seconds; an adapter that prints nothing until then has no known version."""

_VERSION = re.compile(r"\d+\.\d+[\w.+-]*")


def ask_version(command: Sequence[str]) -> str:
    """Return the first version that a command prints; empty if none in time. Blocks."""
    try:
        told = subprocess.run(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = _VERSION.search(told.decode("utf-8", "replace"))
    return found[0] if found else ""


_PATIENCE = 3.0
"""Seconds for the package manager to list names."""

_INSTALL = {
    "apt": "apt install",
    "dnf": "dnf install",
    "pacman": "pacman -S",
    "zypper": "zypper install",
    "apk": "apk add",
    "brew": "brew install",
}
"""Each manager's command; the first installed one is used."""

_WITHOUT_ROOT = ("brew",)


class Packages(msgspec.Struct, frozen=True, kw_only=True):
    """The packages of one adapter, by package manager.

    In ``apt`` a name may end with ``-*``, which stands for the newest version from ``since`` on.
    ``otherwise`` is a complete command, or a hint, for all other systems.
    """

    apt: str = ""
    dnf: str = ""
    pacman: str = ""
    zypper: str = ""
    apk: str = ""
    brew: str = ""
    since: int = 0
    otherwise: str = ""


def install_command(packages: Packages) -> str:
    """Return the command, or where to get it; empty if unknown."""
    manager = next((name for name in _INSTALL if shutil.which(name)), "")
    name = getattr(packages, manager) if manager else ""
    if name.endswith("-*"):
        name = _newest(name.removesuffix("*"), packages.since)
    if not name:
        return packages.otherwise
    needs_root = manager not in _WITHOUT_ROOT and os.geteuid() != 0
    return f"{'sudo ' if needs_root else ''}{_INSTALL[manager]} {name}"


def not_installed(name: str, packages: Packages) -> str:
    """Return a sentence that an adapter is missing, and how to install it."""
    command = install_command(packages)
    return f"{name} is not installed{_brings(command)}"


def _brings(command: str) -> str:
    if not command:
        return ""
    return f"; `{command}` brings it" if _is_command(command) else f"; {command}"


def _is_command(text: str) -> bool:
    first = text.split(" ", 1)[0]
    return first in ("sudo", "go", "npm", "pip", *_INSTALL)


def _newest(prefix: str, since: int) -> str:
    """Return the package of that name with the highest version; empty if there is none."""
    try:
        listed = subprocess.run(
            ["apt-cache", "pkgnames", prefix],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.findall(rf"^{re.escape(prefix)}(\d+)$", listed, re.MULTILINE)
    numbers = [int(number) for number in found if int(number) >= since]
    return f"{prefix}{max(numbers)}" if numbers else ""
