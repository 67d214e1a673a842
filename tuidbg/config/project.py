"""Which project a program belongs to: what is remembered, is remembered per project."""

from __future__ import annotations

import os
from pathlib import Path

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
