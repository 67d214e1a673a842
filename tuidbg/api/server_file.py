"""A file per running server with its address and its owner's token, readable only by the owner.

The files are in the user's runtime folder, where `tuidbg send` and `tuidbg join` find them. Nothing
heavy is imported here.
"""

from __future__ import annotations

import errno
import os
import stat
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import msgspec

from tuidbg.process.tree import find_start

_PREFIX = "server-"


class ServerFile(msgspec.Struct, frozen=True):
    """One server. ``url`` is its address, or ``http://localhost`` where ``uds`` names its socket.

    ``token`` is empty where none is required, ``bridge_url`` where the bridge has no port of its
    own. ``started`` identifies the process by its start; ``since`` is the time of serving.
    """

    pid: int
    started: str
    since: float
    url: str
    uds: str = ""
    bridge_url: str = ""
    token: str = ""
    path: str = ""

    @property
    def is_living(self) -> bool:
        """Whether its process is still running."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        return find_start(self.pid) == self.started


def runtime_folder() -> Path:
    """Return the user's private folder for files of running processes. Raises OSError."""
    import platformdirs

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # platformdirs warns that XDG_RUNTIME_DIR is not set
        try:
            return _own(Path(platformdirs.user_runtime_dir("tuidbg")))
        except OSError:
            return _own(Path(platformdirs.user_state_dir("tuidbg"), "run"))


def _own(folder: Path) -> Path:
    """Make the folder private. Raises OSError if other users could replace it."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    parent, own = folder.parent.lstat(), folder.lstat()
    open_to_all = parent.st_mode & stat.S_IWOTH and not parent.st_mode & stat.S_ISVTX
    if parent.st_uid not in (0, os.geteuid()) or open_to_all:
        raise PermissionError(errno.EPERM, "others may change this folder", str(folder.parent))
    if own.st_uid != os.geteuid() or not stat.S_ISDIR(own.st_mode):
        raise PermissionError(errno.EPERM, "not a folder of yours", str(folder))
    if own.st_mode & 0o077:
        folder.chmod(0o700)
    return folder


def write_server_file(url: str, *, uds: str = "", bridge_url: str = "", token: str = "") -> Path:
    """Write the file of this process's server and return its path. Raises OSError."""
    folder = runtime_folder()
    pid = os.getpid()
    path = folder / f"{_PREFIX}{pid}-{time.time_ns():x}.json"
    told = ServerFile(
        pid=pid,
        started=find_start(pid),
        since=time.time(),
        url=url,
        uds=uds,
        bridge_url=bridge_url,
        token=token,
        path=str(path),
    )
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    unfinished = path.with_suffix(".new")
    with os.fdopen(os.open(unfinished, flags, 0o600), "wb") as file:
        file.write(msgspec.json.encode(told))
    unfinished.rename(path)
    return path


def find_servers() -> list[ServerFile]:
    """Return the user's running servers, newest first; stale files are removed."""
    try:
        found = list(_read_all(runtime_folder()))
    except OSError:
        return []
    return sorted(found, key=lambda server: server.since, reverse=True)


def _read_all(folder: Path) -> Iterator[ServerFile]:
    for path in folder.glob(f"{_PREFIX}*.json"):
        try:
            server = msgspec.json.decode(path.read_bytes(), type=ServerFile)
        except (OSError, ValueError):
            continue
        if server.is_living:
            yield server
        else:
            path.unlink(missing_ok=True)
