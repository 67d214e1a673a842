"""The screen layout of a project, in a file of the user's state folder.

Failures are silent: the layout is no necessity. The file is small, is replaced atomically, and has
the layout of the last tuidbg that exited.
"""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import msgspec

from tuidbg.config.files import read_file

LARGEST = 1_000_000
"""Maximum bytes of a file; a larger one is not ours."""

MOST_PLACES = 50
MOST_FUNCTIONS = 100
MOST_OPEN = 50
"""Maximum numbers of files, functions, and expanded variables of each."""


class SavedPlace(msgspec.Struct, frozen=True, array_like=True):
    """A position in a file: the cursor's line, and the scroll offsets."""

    line: int = 1
    scroll_x: int = 0
    scroll_y: int = 0


class SavedLayout(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The layout.

    ``sizes`` are shares of the screen; ``places`` are by path, the latest last; ``source`` was
    shown while ``target`` was debugged. ``opened`` are the expanded variables: by function, the
    path of names to each.
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
    """Load a layout; return it, and a sentence if the file is damaged."""
    try:
        return msgspec.json.decode(read_file(file, limit=LARGEST), type=SavedLayout), ""
    except OSError as error:
        if error.errno not in (errno.EFBIG, errno.EINVAL):
            return None, ""
        return None, _damaged(error.strerror)
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        return None, _damaged(error)


def _damaged(why: object) -> str:
    return f"the layout of this project is damaged ({why}); it is forgotten"


def save_layout(file: Path, layout: SavedLayout) -> bool:
    """Write the layout atomically; return whether that worked."""
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
