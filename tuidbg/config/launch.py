"""The plan of what to debug, made from the command line or a launch.json."""

from __future__ import annotations

import errno
import os
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from tuidbg.config.files import LARGEST_SOURCE

_SCRIPTS = (".py", ".pyw")


def is_archive(path: Path) -> bool:
    """Whether it is a zip application, which Python runs by its ``__main__.py``."""
    if path.suffix in _SCRIPTS or not path.is_file():
        return False
    from zipfile import is_zipfile

    return is_zipfile(path)


def is_source(path: str) -> bool:
    """Whether the path is a file, or a file in a zip."""
    return os.path.isfile(path) or is_in_zip(path)  # noqa: PTH113 - a Path's fails on long names


def is_in_zip(path: str) -> bool:
    """Whether the path goes through a zip to an existing member."""
    found = _split(path)
    if found is None:
        return False
    from zipfile import BadZipFile, ZipFile

    archive, name = found
    try:
        with ZipFile(archive) as opened:
            return name in opened.namelist()
    except (OSError, BadZipFile):
        return False


def archive_of(path: str) -> Path | None:
    """Return the zip that contains a source; None for a file."""
    found = _split(path)
    return found[0] if found is not None else None


def read_zipped(path: str) -> bytes:
    """Read a source in a zip. Raises OSError, also for one of more than 64 MiB."""
    from zipfile import BadZipFile, ZipFile

    found = _split(path)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, "there is no such file", path)
    archive, name = found
    try:
        with ZipFile(archive) as opened:
            if opened.getinfo(name).file_size > LARGEST_SOURCE:
                raise OSError(errno.EFBIG, "it is too large", path)
            return opened.read(name)
    except KeyError:
        raise FileNotFoundError(errno.ENOENT, f"{archive.name} has no {name}", path) from None
    except (BadZipFile, NotImplementedError, RuntimeError) as error:
        raise OSError(errno.EINVAL, str(error), path) from None


def _split(path: str) -> tuple[Path, str] | None:
    """Split into the zip and the member name; None if the path goes through no file."""
    if not path.startswith("/"):
        return None
    for parent in Path(path).parents:
        if os.path.isfile(parent):  # noqa: PTH113
            return parent, path[len(str(parent)) + 1 :]
        if os.path.isdir(parent):  # noqa: PTH112
            break
    return None


DEMO = Path(__file__).resolve().parent.parent / "demo" / "main.py"
"""The program that ``tuidbg demo`` debugs."""


DEFAULT_ADAPTER = "debugpy"
"""The default adapter of plans."""

CONNECT_TIMEOUT = 10.0
"""Seconds for a debug server to answer."""


class TargetKind(StrEnum):
    """How the program is named."""

    SCRIPT = "script"
    MODULE = "module"


class Console(StrEnum):
    """The program's input and output.

    ``terminal``: a pseudo-terminal of tuidbg; ``internal``: DAP output events, stdout and stderr
    separate, stdin at its end; ``external``: a terminal shown elsewhere, the plan's ``tty`` or a
    new tmux pane (without tmux, as ``terminal``).
    """

    TERMINAL = "terminal"
    INTERNAL = "internal"
    EXTERNAL = "external"


class LaunchPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A program to start under the debugger.

    ``target`` is an absolute path (a file, or a directory with ``__main__.py``) or a module name;
    empty for a session without a program yet. ``python`` is the interpreter, with ``python_args``
    before the program; ``python_from`` is the reason for that interpreter. ``is_command`` is a
    script of an environment, as ``flask``. ``env`` is added to the environment. With
    ``sub_process`` child processes are debugged, too; ``django`` and ``jinja`` are for breakpoints
    in templates. ``redirect_output`` says whether output comes as DAP events; None: as ``console``
    requires. ``path_mappings`` maps local folders to the program's. ``tty`` is the path of the
    program's terminal, with ``console`` external. ``adapter`` is the name of the debug adapter
    (``adapters/table.py``); ``options`` are further arguments of its ``launch`` request, which come
    before ours.
    """

    kind: TargetKind
    target: str
    args: tuple[str, ...] = ()
    cwd: str
    env: dict[str, str] = {}
    unset: tuple[str, ...] = ()
    """Variables removed from the environment."""
    python: str
    python_args: tuple[str, ...] = ()
    python_from: str = ""
    is_command: bool = False
    stop_on_entry: bool = True
    just_my_code: bool = True
    console: Console = Console.TERMINAL
    tty: str = ""
    sub_process: bool = True
    django: bool = False
    jinja: bool = False
    redirect_output: bool | None = None
    path_mappings: dict[str, str] = {}
    record: bool = False
    """Whether the program is recorded from its start (``Past``)."""
    record_to: str = ""
    """The file for the recording at the end of the run; none if empty."""
    adapter: str = DEFAULT_ADAPTER
    options: dict[str, Any] = {}
    source: str | None = None
    """The file to show before the run, if it is not the target; "" for none."""

    is_child: ClassVar[bool] = False

    @property
    def first_source(self) -> str:
        """The file to show before the run; empty if only the interpreter can find it."""
        if self.source is not None:
            return self.source
        if self.kind is TargetKind.MODULE or not self.target:
            return ""
        path = Path(self.target)
        if self.adapter == DEFAULT_ADAPTER:
            is_outside = path.is_dir() or is_archive(path)
            return str(path / "__main__.py" if is_outside else path)
        return str(path) if path.suffix and not path.is_dir() else ""  # not for a binary

    @property
    def interpreter(self) -> str:
        """The interpreter, with the reason for it in brackets if known."""
        return f"{self.python} ({self.python_from})" if self.python_from else self.python

    @property
    def title(self) -> str:
        """The title for the user: the script's name, or ``-m module``."""
        if self.kind is TargetKind.MODULE:
            return f"-m {self.target}"
        if not self.target:
            return "no program"
        return self.target.rstrip("/").rpartition("/")[2]


class HostsPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The port for other machines, with all their programs over one connection (`tuidbg forward`).

    ``certificate`` and ``key`` are paths of files for TLS; the first may contain the key, too.
    """

    host: str
    port: int
    certificate: str = ""
    key: str = ""


class AttachPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A running program: the address of its debug server, or its process id.

    Exactly one of ``port``, ``pid``, ``core`` and ``recording`` is set; ``core`` is the path of a
    core file, and ``program`` the program that dumped it ("": as the file says); ``recording`` is
    the path of a recorded run, which needs no program. ``cwd`` is the base of the user's relative
    paths, ``python`` with ``python_args`` is the interpreter that examines sources,
    ``path_mappings`` maps local folders to the program's. ``connect_timeout`` is in seconds; so is
    ``wait``, the time to retry until a server is up (None: no retries), or until a process can be
    debugged (None: the session's default). With ``reconnect`` the session attaches again after the
    program was lost or has ended. ``ssh`` is the machine (``[USER@]HOST``) from which ``host`` and
    ``port`` are reached.

    With ``listen`` programs connect to our port, with the ``token`` if there is one; machines
    connect to the port of ``hosts``. A child process of a debugged program has the
    ``configuration`` sent by its adapter, and a ``name``; ``is_started_here`` if that program was
    launched here, and is to be ended with tuidbg. ``called_by`` is the process id of a program that
    called the debugger itself (``tuidbg.breakpoint()``). ``adapter`` and ``options`` are as in
    ``LaunchPlan``, of the ``attach`` request.
    """

    host: str = "localhost"
    port: int | None = None
    pid: int | None = None
    cwd: str
    python: str
    python_args: tuple[str, ...] = ()
    just_my_code: bool = True
    path_mappings: dict[str, str] = {}
    connect_timeout: float = CONNECT_TIMEOUT
    wait: float | None = None
    reconnect: bool = False
    ssh: str = ""
    listen: bool = False
    token: str = ""
    hosts: HostsPlan | None = None
    sub_process: bool = True
    django: bool = False
    jinja: bool = False
    redirect_output: bool = True
    configuration: dict[str, Any] = {}
    name: str = ""
    is_started_here: bool = False
    called_by: int = 0
    core: str = ""
    program: str = ""
    recording: str = ""
    adapter: str = DEFAULT_ADAPTER
    options: dict[str, Any] = {}

    # Attributes of launch plans, unknown for a program that was not started here.

    kind: ClassVar[TargetKind] = TargetKind.SCRIPT
    target: ClassVar[str] = ""
    args: ClassVar[tuple[str, ...]] = ()
    env: ClassVar[dict[str, str]] = {}
    first_source: ClassVar[str] = ""
    is_command: ClassVar[bool] = False
    stop_on_entry: ClassVar[bool] = False

    @property
    def is_child(self) -> bool:
        """Whether it is a child process of a debugged program."""
        return bool(self.configuration)

    def __post_init__(self) -> None:
        files = bool(self.core) + bool(self.recording)
        if (self.port is not None) + (self.pid is not None) + files != 1:
            raise ValueError("give either a port or a process id, or a core file, or a recording")

    @property
    def title(self) -> str:
        """The title for the user: ``localhost:5678`` or ``process 4711``."""
        if self.name:
            return self.name
        if self.core:
            return f"core file {Path(self.core).name}"
        if self.recording:
            return f"recording {Path(self.recording).name}"
        if self.port is None:
            return f"process {self.pid}"
        place = f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
        return f"{place} on {self.ssh.rpartition('@')[2]}" if self.ssh else place


Plan = LaunchPlan | AttachPlan
"""The plan of a session."""
