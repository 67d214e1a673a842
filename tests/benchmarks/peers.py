"""The environment of the peers: their own, beside the project, never among its dependencies."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

REQUIREMENTS = ("pudb==2026.1", "textual-debugger==0.2.16")
FOLDER = Path(__file__).parents[2] / ".benchmarks" / "peers"


def prepare_peers(
    folder: Path = FOLDER,
    requirements: tuple[str, ...] = REQUIREMENTS,
    python: str = sys.executable,
) -> Path | None:
    """Makes the environment unless it stands already; the folder of its commands.

    None, with the reason on stderr, where uv is missing or the packages can't be had: the
    benchmark then measures what there is.
    """
    stamp = folder / "requirements.txt"
    wanted = "\n".join((*requirements, python, sys.version))
    if stamp.exists() and stamp.read_text() == wanted:
        return folder / "bin"
    uv = shutil.which("uv")
    if uv is None:
        print("benchmarks: no uv, so no peers", file=sys.stderr)
        return None
    inside = str(folder / "bin" / "python")
    for command in (
        [uv, "venv", "--quiet", "--clear", "--python", python, str(folder)],
        [uv, "pip", "install", "--quiet", "--python", inside, *requirements],
    ):
        if subprocess.run(command, check=False).returncode:
            print("benchmarks: no environment for the peers", file=sys.stderr)
            return None
    stamp.write_text(wanted)
    return folder / "bin"


def installed_version(python: Path | str, package: str) -> str:
    """The version of a package in the environment of ``python``; empty if it is not there."""
    code = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))"
    found = subprocess.run(
        [python, "-c", code, package], capture_output=True, text=True, check=False
    )
    return found.stdout.strip()
