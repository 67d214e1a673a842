"""Describes what to debug: the plan that the command line, or a launch.json, comes down to."""

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
    """True for an application in a zip, which Python runs by its ``__main__.py``."""
    if path.suffix in _SCRIPTS or not path.is_file():
        return False
    from zipfile import is_zipfile

    return is_zipfile(path)


def is_source(path: str) -> bool:
    """True where that is a file, or lies in a zip."""
    return os.path.isfile(path) or is_in_zip(path)  # noqa: PTH113 - a Path's fails on long names


def is_in_zip(path: str) -> bool:
    """True for a path that goes on in a zip, and names something there."""
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
    """The zip in which a source lies; None for a file."""
    found = _split(path)
    return found[0] if found is not None else None


def read_zipped(path: str) -> bytes:
    """The bytes of a source in a zip. Raises OSError, for one of more than 64 MiB as well."""
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
    """The zip and the name in it; None where the path goes through no file."""
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
"""The adapter of plans that name none."""

CONNECT_TIMEOUT = 10.0
"""Seconds within which a debug server has to answer."""


class TargetKind(StrEnum):
    """Tells how the program is named."""

    SCRIPT = "script"
    MODULE = "module"


class Console(StrEnum):
    """Tells where the program's input and output are.

    ``terminal``: a pseudo-terminal of tuidbg's own; ``internal``: DAP output events, stdout and
    stderr told apart, stdin at its end; ``external``: a terminal that somebody else shows, the
    plan's ``tty`` or a new tmux pane (where there is none, as ``terminal``).
    """

    TERMINAL = "terminal"
    INTERNAL = "internal"
    EXTERNAL = "external"


class LaunchPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One program to start under the debugger.

    ``target`` is an absolute path (a file, or a directory with ``__main__.py``) or a module's
    name; empty where a session has no program yet. ``python`` is the interpreter that runs it,
    with the words of ``python_args`` before the program; ``python_from`` says why it is that
    one. ``is_command`` is a script of an environment, as ``flask``. ``env`` is added to the
    environment. With ``sub_process`` its children are debugged, too; ``django`` and ``jinja``
    are for breakpoints in templates. ``redirect_output`` says whether output comes as DAP
    events; None: as ``console`` wants it. ``path_mappings`` are folders here and what the
    program calls them. ``tty`` is the path of the terminal that the program runs on, with
    ``console`` external. ``adapter`` is the name of the debug adapter (``adapters/table.py``),
    ``options`` are further arguments of its ``launch`` request, which go before ours.
    """

    kind: TargetKind
    target: str
    args: tuple[str, ...] = ()
    cwd: str
    env: dict[str, str] = {}
    unset: tuple[str, ...] = ()
    """Variables that are taken out of the environment."""
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
    """True if the program is recorded from its beginning (``Past``)."""
    record_to: str = ""
    """The file that the recording is written to at the end of the run; none if empty."""
    adapter: str = DEFAULT_ADAPTER
    options: dict[str, Any] = {}
    source: str | None = None
    """The file to show before anything runs, where that is not the target; "" for none."""

    is_child: ClassVar[bool] = False

    @property
    def first_source(self) -> str:
        """The file to show before anything runs; empty where only the interpreter finds it."""
        if self.source is not None:
            return self.source
        if self.kind is TargetKind.MODULE or not self.target:
            return ""
        path = Path(self.target)
        if self.adapter == DEFAULT_ADAPTER:
            is_outside = path.is_dir() or is_archive(path)
            return str(path / "__main__.py" if is_outside else path)
        return str(path) if path.suffix and not path.is_dir() else ""  # a binary is none

    @property
    def interpreter(self) -> str:
        """Returns the interpreter, and in brackets why it is that one where that is known."""
        return f"{self.python} ({self.python_from})" if self.python_from else self.python

    @property
    def title(self) -> str:
        """Returns what a person calls it: the script's name, or ``-m module``."""
        if self.kind is TargetKind.MODULE:
            return f"-m {self.target}"
        if not self.target:
            return "no program"
        return self.target.rstrip("/").rpartition("/")[2]


class HostsPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The port that other machines call, with all their programs on one line (`tuidbg forward`).

    ``certificate`` and ``key`` are the paths of files, for TLS; the key may stand in the first.
    """

    host: str
    port: int
    certificate: str = ""
    key: str = ""


class AttachPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One program that runs already: where its debug server listens, or its process id.

    Exactly one of ``port``, ``pid``, ``core`` and ``recording`` is given; ``core`` is the path of a
    core file, and ``program`` the program that has left it ("": as the file says); ``recording`` is
    the path of a recorded run, which needs no program. ``cwd`` is where relative paths
    of a person's begin, ``python`` with ``python_args`` is the interpreter asked about sources,
    ``path_mappings`` are folders here and what they are called where the program runs.
    ``connect_timeout`` is in seconds; so is ``wait``, for which a server that is not there yet is
    waited for (None: not at all), or a process until it can be debugged (None: as long as the
    session finds right). With ``reconnect`` a program that was lost or has ended is waited for and
    attached to again. ``ssh`` is the machine (``[USER@]HOST``) from which ``host`` and ``port`` are
    reached.
    With ``listen`` nothing is dialled: programs connect to that port of ours, and tell the
    ``token`` where there is one; so do machines at the port of ``hosts``. A process of a
    debugged program brings the ``configuration`` that its adapter gave and a ``name``;
    ``is_started_here`` where that program was launched, and is to be ended with tuidbg.
    ``called_by`` is the process id of a program that has called for the debugger itself
    (``tuidbg.breakpoint()``). ``adapter`` and ``options`` are as in ``LaunchPlan``, of the
    ``attach`` request.
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

    # What a plan to launch has as well; nobody here knows it of a program that was not started here

    kind: ClassVar[TargetKind] = TargetKind.SCRIPT
    target: ClassVar[str] = ""
    args: ClassVar[tuple[str, ...]] = ()
    env: ClassVar[dict[str, str]] = {}
    first_source: ClassVar[str] = ""
    is_command: ClassVar[bool] = False
    stop_on_entry: ClassVar[bool] = False

    @property
    def is_child(self) -> bool:
        """Tells whether it is a process that a debugged program has started."""
        return bool(self.configuration)

    def __post_init__(self) -> None:
        files = bool(self.core) + bool(self.recording)
        if (self.port is not None) + (self.pid is not None) + files != 1:
            raise ValueError("give either a port or a process id, or a core file, or a recording")

    @property
    def title(self) -> str:
        """Returns what a person calls it: ``localhost:5678`` or ``process 4711``."""
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
"""Stands for what a session debugs."""
