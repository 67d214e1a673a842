"""Builds the compiled recorder: as tuidbg is installed, or beside the first recording.

Run by its path as well, by a process of its own and by the build of a wheel: it takes nothing of
tuidbg.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

LONGEST = 60.0
"""Seconds for the compiler, which takes two."""

_TRIED_AGAIN = 24 * 3600.0
"""Seconds after which a build that failed is tried again: a compiler may have been installed."""

_running: list[subprocess.Popen[bytes]] = []
"""Kept: Python warns of a running process that is dropped."""


def build(source: Path, built: Path) -> str:
    """Return why it can't be built, or an empty text."""
    if sys.platform not in ("linux", "darwin"):
        return f"the compiled recorder is not made for {sys.platform}"
    compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if shutil.which(compiler[0]) is None:
        compiler = ["gcc"]
    if shutil.which(compiler[0]) is None:
        return "there is no C compiler"
    headers = Path(sysconfig.get_path("include"))
    if not (headers / "Python.h").exists():
        return f"there is no Python.h in {headers}"
    part = built.with_name(f"{built.name}.{os.getpid()}")
    more = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-ldl"]
    command = [*compiler, "-O2", "-shared", "-fPIC", f"-I{headers}", "-o", str(part), str(source)]
    try:
        done = subprocess.run(
            [*command, *more], capture_output=True, text=True, check=False, timeout=LONGEST
        )
        if done.returncode:
            return f"the compiler failed: {done.stderr.strip()[-500:]}"
        part.replace(built)
    except subprocess.TimeoutExpired:
        return f"the compiler took longer than {LONGEST:g} seconds"
    finally:
        part.unlink(missing_ok=True)
    return ""


def cached(source: Path) -> Path | None:
    """Return where it is, once it was built beside a recording; None without a home."""
    try:
        if sys.platform == "darwin":
            folder = Path("~/Library/Caches").expanduser()
        else:
            folder = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
        digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    except (OSError, RuntimeError):
        return None
    platform = sysconfig.get_platform().replace(".", "_")
    found = folder / "tuidbg" / f"recorder-{digest}-{platform}.abi3.so"
    return found if found.is_absolute() else None


def is_trusted(built: Path) -> bool:
    """Return whether no other user can have written it: it is loaded into the program."""
    try:
        file, folder = built.stat(), built.parent.stat()
    except OSError:
        return False
    are_ours = {file.st_uid, folder.st_uid} <= {os.getuid(), 0}
    return are_ours and not file.st_mode & 0o022 and not folder.st_mode & 0o002


def why_failed(built: Path) -> str:
    """Return why the last build failed; empty if there was none, or it is to be tried again."""
    try:
        noted = _note_beside(built)
        is_old = time.time() - noted.stat().st_mtime > _TRIED_AGAIN
        return "" if is_old else noted.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _note_beside(built: Path) -> Path:
    return built.with_name(f"{built.name}.failed")


def build_beside(source: Path) -> None:
    """Build it in a process of its own, which nothing waits for; the next recording uses it."""
    built = cached(source)
    if built is None or built.exists() or why_failed(built):
        return
    _running[:] = [each for each in _running if each.poll() is None]
    if _running:
        return
    try:
        built.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _running.append(
            subprocess.Popen(
                [sys.executable, "-I", __file__, str(source), str(built)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )
    except OSError:
        pass  # a read-only home: the recorder in Python goes on


def main() -> None:
    source, built = map(Path, sys.argv[1:])
    os.nice(10)
    os.umask(0o077)
    try:
        why = build(source, built)
    except (OSError, ValueError) as error:
        why = str(error)
    if why:
        _note_beside(built).write_text(why, encoding="utf-8")
    else:
        _note_beside(built).unlink(missing_ok=True)


if __name__ == "__main__":
    main()
