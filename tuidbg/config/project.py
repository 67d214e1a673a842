"""Tells which project a program belongs to: what is remembered, is remembered per project."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.config.files import user_folder

if TYPE_CHECKING:
    from tuidbg.config.launch import Plan

MARKERS = (".git", "pyproject.toml")


def project_folder(target_path: str | Path, cwd: str | Path) -> Path:
    """The nearest folder upward of a script that has ``.git`` or ``pyproject.toml``, else its own.

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
    """The project of what is debugged; a command's is that of the folder where it is run."""
    return project_folder("" if plan.is_command else plan.first_source, plan.cwd)


def store_file(project: Path) -> Path:
    """The file of a project: its name for people, and a hash of its path for telling it apart."""
    import hashlib
    import re

    path = project.resolve()
    readable = re.sub(r"[^\w.-]+", "-", path.name)[:40] or "root"
    digest = hashlib.blake2b(os.fsencode(path), digest_size=8).hexdigest()
    folder = user_folder("state") / "breakpoints"
    return folder / f"{readable}-{digest}.json"


def watch_file(project: Path) -> Path:
    """The file of a project's watches."""
    return store_file(project).with_suffix(".watches.json")


def layout_file(project: Path) -> Path:
    """The file of what a project's screen looked like."""
    file = store_file(project)
    return file.parent.with_name("layouts") / file.name


def has_kept(project: Path) -> bool:
    """Returns whether anything was kept of an earlier run; cheap, for the start."""
    try:
        return store_file(project).exists() or watch_file(project).exists()
    except (OSError, RuntimeError):
        return False
