"""The project of a program, to which stored settings belong."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.config.files import user_folder

if TYPE_CHECKING:
    from tuidbg.config.launch import Plan

MARKERS = (".git", "pyproject.toml")


def project_folder(target_path: str | Path, cwd: str | Path) -> Path:
    """Find the nearest folder upward of a script with ``.git`` or ``pyproject.toml``, else its own.

    ``target_path`` is the script, or a directory with a ``__main__.py``; for a module it is empty,
    and the search begins at ``cwd``.
    """
    own = Path(os.path.abspath(Path(cwd, target_path)))
    if target_path and not own.is_dir():
        own = own.parent
    for folder in (own, *own.parents):
        if any((folder / marker).exists() for marker in MARKERS):
            return folder
    return own


def project_of(plan: Plan) -> Path:
    """Return the project of a plan; for a command, that of the working directory."""
    return project_folder("" if plan.is_command else plan.first_source, plan.cwd)


def store_file(project: Path) -> Path:
    """Return a project's file, with a readable name and a hash of the path to make it unique."""
    import hashlib
    import re

    path = project.resolve()
    readable = re.sub(r"[^\w.-]+", "-", path.name)[:40] or "root"
    digest = hashlib.blake2b(os.fsencode(path), digest_size=8).hexdigest()
    folder = user_folder("state") / "breakpoints"
    return folder / f"{readable}-{digest}.json"


def watch_file(project: Path) -> Path:
    """Return the file of a project's watches."""
    return store_file(project).with_suffix(".watches.json")


def layout_file(project: Path) -> Path:
    """Return the file of a project's screen layout."""
    file = store_file(project)
    return file.parent.with_name("layouts") / file.name


def has_kept(project: Path) -> bool:
    """Whether an earlier run has stored anything; cheap, for the startup."""
    try:
        return store_file(project).exists() or watch_file(project).exists()
    except (OSError, RuntimeError):
        return False
