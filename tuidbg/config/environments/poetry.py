"""Tells where poetry keeps the virtual environments of a project; poetry itself is not run."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from tuidbg.config.regular_file import LARGEST, read_text


def poetry_prefixes(project: Path) -> list[Path]:
    """The environments of the project, the one that poetry would take first.

    They are called ``NAME-HASH-pyX.Y``; ``envs.toml`` beside them says which one ``poetry env use``
    has chosen.
    """
    folder, name = _folder(), _environment_name(project)
    chosen = str(_read(folder / "envs.toml").get(name, {}).get("minor", ""))
    try:
        found = sorted(folder.glob(f"{_literal(name)}-py*"), key=_version_of, reverse=True)
    except OSError:
        return []
    return sorted(found, key=lambda prefix: not chosen or not prefix.name.endswith(f"-py{chosen}"))


def _environment_name(project: Path) -> str:
    """As poetry's ``EnvManager.generate_env_name`` makes it."""
    fields = _read(project / "pyproject.toml")
    named = fields.get("tool", {}).get("poetry", {}).get("name")
    name = str(named or fields.get("project", {}).get("name") or "non-package-mode").lower()
    name = re.sub(r"[^a-z0-9]+", "-", name) if not named else name
    sanitised = re.sub(r'[ $`!*@"\\\r\n\t]', "_", name)[:42]
    digest = hashlib.sha256(os.fsencode(os.path.realpath(project))).digest()
    return f"{sanitised}-{base64.urlsafe_b64encode(digest).decode()[:8]}"


def _folder() -> Path:
    environ = os.environ
    if named := environ.get("POETRY_VIRTUALENVS_PATH"):
        return Path(named)
    if cache := environ.get("POETRY_CACHE_DIR"):
        return Path(cache, "virtualenvs")
    if sys.platform == "darwin":
        return Path("~/Library/Caches/pypoetry/virtualenvs").expanduser()
    base = environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(base, "pypoetry", "virtualenvs")


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path, limit=LARGEST))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return {}


def _version_of(prefix: Path) -> list[int]:
    return [int(p) for p in prefix.name.rpartition("-py")[2].split(".") if p.isdecimal()]


def _literal(name: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", name)
