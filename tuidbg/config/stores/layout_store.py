"""Keeps what a project's screen looked like when it was left: a file in the user's state folder.

Remembering is a comfort: where nothing can be read or written, tuidbg works without it. The file is
small, is replaced as a whole, and is that of whoever left last.
"""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import msgspec

from tuidbg.config.files import read_file

LARGEST = 1_000_000
"""Bytes; a larger file is none of ours."""

MOST_PLACES = 50
MOST_FUNCTIONS = 100
MOST_OPEN = 50
"""Files, functions, and open variables of each that are kept."""


class SavedPlace(msgspec.Struct, frozen=True, array_like=True):
    """Tells where a person was in a file: the cursor's line, and the scroll."""

    line: int = 1
    scroll_x: int = 0
    scroll_y: int = 0


class SavedLayout(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The layout.

    ``sizes`` are shares of the screen; ``places`` are by path, the latest last; ``source`` was
    shown while ``target`` was debugged.
    ``opened`` are the variables that were open: by function, the names that lead to each.
    """

    version: int = 1
    sizes: dict[str, float] = {}
    tab: str = ""
    bottom: str = ""
    maximised: str = ""
    target: str = ""
    source: str = ""
    places: dict[str, SavedPlace] = {}
    opened: dict[str, list[tuple[str, ...]]] = {}


def load_layout(file: Path) -> tuple[SavedLayout | None, str]:
    """Returns what was kept, and a sentence where the file is damaged."""
    try:
        return msgspec.json.decode(read_file(file, limit=LARGEST), type=SavedLayout), ""
    except OSError as error:
        if error.errno not in (errno.EFBIG, errno.EINVAL):
            return None, ""
        return None, _damaged(error.strerror)
    except (ValueError, RecursionError) as error:  # of msgspec's, too
        return None, _damaged(error)


def _damaged(why: object) -> str:
    return f"the layout of this project is damaged ({why}); it is forgotten"


def save_layout(file: Path, layout: SavedLayout) -> bool:
    """Keep it, as a whole or not at all; whether that worked."""
    data = msgspec.json.encode(_bounded(layout))
    temporary = ""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".layout")
        with os.fdopen(handle, "wb") as opened:
            opened.write(data)
        Path(temporary).replace(file)
    except OSError:
        if temporary:
            _remove(Path(temporary))
        return False
    return True


def _bounded(layout: SavedLayout) -> SavedLayout:
    return msgspec.structs.replace(
        layout,
        places=dict(list(layout.places.items())[-MOST_PLACES:]),
        opened={
            function: paths[-MOST_OPEN:]
            for function, paths in list(layout.opened.items())[-MOST_FUNCTIONS:]
        },
    )


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        pass
