"""State between runs: pane sizes, theme, recent programs.

A small JSON file in the user's state folder. Failures are silent: the state is no necessity.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path

import msgspec

from tuidbg.config.files import read_file, user_folder

MAX_RECENT = 10
"""Maximum programs of one folder, and attachments: projects do not displace each other's."""

MAX_PROGRAMS = 50
"""Maximum programs of all folders."""


class RecentProgram(msgspec.Struct, frozen=True):
    """A recent program, with all that is needed to start it again.

    ``options`` are the adapter's, as ``KEY=JSON``. Without an adapter it is detected again.
    """

    kind: str
    target: str
    args: tuple[str, ...] = ()
    cwd: str = ""
    adapter: str = ""
    options: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        """The command line."""
        words = ["--adapter", self.adapter] if self.adapter else []
        for option in self.options:
            words += ["--adapter-option", option]
        target = ["-m", self.target] if self.kind == "module" else [self.target]
        return [*words, *target, *self.args]


class RecentAttachment(msgspec.Struct, frozen=True):
    """A debug server that was attached to, or a port for incoming programs."""

    host: str
    port: int
    listen: bool = False
    ssh: str = ""
    path_mappings: tuple[tuple[str, str], ...] = ()

    @property
    def title(self) -> str:
        """Such as ``localhost:5678``."""
        place = f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
        place = f"listen at {place}" if self.listen else place
        return f"{place} on {self.ssh.rpartition('@')[2]}" if self.ssh else place


class Remembered(msgspec.Struct, frozen=True):
    """The state between runs.

    ``sizes`` are shares of the screen by the layout's names. With ``follow_stops`` a process that
    stops is shown, unless the viewed one is stopped itself. ``told`` names the one-time hints
    already shown.
    """

    theme: str = ""
    key_map: str = ""
    sizes: dict[str, float] = {}
    recent: tuple[RecentProgram, ...] = ()
    follow_stops: bool = False
    attached: tuple[RecentAttachment, ...] = ()
    told: tuple[str, ...] = ()


def state_file() -> Path:
    return user_folder("state") / "remembered.json"


def load_remembered(path: Path | None = None) -> Remembered:
    """Load the state; the defaults if it can't be read or is invalid."""
    try:
        return msgspec.json.decode(read_file(path or state_file()), type=Remembered)
    except (OSError, RuntimeError, msgspec.MsgspecError):
        return Remembered()


def save_remembered(remembered: Remembered, path: Path | None = None) -> bool:
    """Write the state atomically; return whether that worked."""
    try:
        path = path or state_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".remembered")
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(remembered), indent=2))
        Path(name).replace(path)
    except (OSError, RuntimeError):
        return False
    return True


def with_recent(remembered: Remembered, program: RecentProgram) -> Remembered:
    """Put a program first in the recent ones."""
    kept: list[RecentProgram] = []
    of_folder: Counter[str] = Counter()
    for each in (program, *(p for p in remembered.recent if p != program)):
        of_folder[each.cwd] += 1
        if of_folder[each.cwd] <= MAX_RECENT:
            kept.append(each)
    return msgspec.structs.replace(remembered, recent=tuple(kept[:MAX_PROGRAMS]))


def with_attached(remembered: Remembered, attachment: RecentAttachment) -> Remembered:
    """Put an attachment first in the recent ones."""
    others = tuple(each for each in remembered.attached if each != attachment)
    return msgspec.structs.replace(remembered, attached=(attachment, *others)[:MAX_RECENT])
