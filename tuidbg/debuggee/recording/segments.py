"""Recorded columns that have not been read yet; they are written in segments, one file each.

A moment is a line that is about to run, or a function that is left. Each thread writes columns of
its own, as no other one can come between then; the moments are numbered over all threads. A file
has its final name only once it is whole, and its reader deletes it. Without a reader, the oldest
give way.
"""

from __future__ import annotations

import _thread
import os
import sys
from _weakref import ref as reference
from array import array
from json import dumps as json_dumps

from tuidbg.debuggee.recording.recorder_state import (
    Standing,
    close_file,
    get_ident,
    make_file,
    remove_file,
    rename_file,
    write_file,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


SEGMENT = 16384
"""Moments of a segment."""

MOST_CHANGES = 8 * SEGMENT
"""Changes of a segment."""

LOCK = _thread.RLock()  # a finalizer may run under it

LONGEST = 200
"""Characters of a text."""


class Columns(object):
    """The moments of one thread, what has changed at them, and the calls and values met at them.

    A call is in the segment of its first moment, never in one of another thread.
    """

    __slots__ = (
        "built",  # the last moment behind a line that makes lists and the like
        "frames",
        "keys",
        "made",  # the last moment behind a line that may have made values in another way
        "objects",
        "owners",
        "queue",  # values that are still to be compared, with what is known of them; None at rest
        "tail",  # the last moments of the segment before, and where they are
        "thread",
        "times",
        "values",
        "walk",  # values in those that are compared, where what they hold may have changed as well
        "walked",  # how many values were compared
        "whens",
        "wheres",
    )

    def __init__(self, thread: Any) -> None:
        self.thread, self.walked, self.built, self.made = thread, 0, 0, 0
        self.queue: Any = None
        self.walk: Any = None
        self.frames: list[Any] = []
        self.objects: list[Any] = []
        self.times: list[int] = []
        self.wheres: list[int] = []
        self.tail: tuple[list[Any], list[Any]] = ([], [])
        self.whens: list[int] = []
        self.owners: list[int] = []
        self.keys: list[int] = []
        self.values: list[Any] = []


class Thread(object):
    """One thread of the program. ``is_busy`` while something is noted in it.

    At the moment ``full`` a segment of it is written.
    """

    __slots__ = ("columns", "current", "full", "ident", "is_busy", "name", "number")

    def __init__(self, number: int, current: Any) -> None:
        self.full = Standing.now + SEGMENT
        self.number, self.columns, self.is_busy = number, Columns(self), False
        self.ident = 0
        self.current = None if current is None else reference(current)
        name = getattr(current, "_name", "")
        self.name = name if type(name) is str else ""
        NEWS["threads"].append([number, self.name])

    def is_of_now(self) -> bool:
        """Whether it is of that thread still, not of an ended one whose identifier it has."""
        return self.current is None or self.current() is current_thread(get_ident())


def current_thread(ident: int) -> Any:
    threading = sys.modules.get("threading")
    return None if threading is None else threading._active.get(ident)


NEWS: dict[Any, Any] = {"threads": [], "codes": [], "modules": [], "keys": []}
"""Facts that the next segment, of any thread, has before its columns."""

THREADS: dict[Any, Any] = {}
"""By their identifiers; identifiers of ended threads are used again, for a new entry."""


class Spool(object):
    """Where the segments go."""

    folder: str | None = None
    threads = 0
    written = 0
    limit = 256 * 1024 * 1024
    files: list[Any] = []
    size = 0
    dropped = 0
    older = 0  # files of the part before, without a reader
    stopped = ""  # why nothing can be written any more


def forget_news(news: Any) -> None:
    for name, told in news.items():
        del NEWS[name][: len(told)]


def in_bytes(news: Any, columns: Any) -> bytes:
    news = {**news, "now": Standing.now, "dropped": Spool.dropped}
    news["failed"], news["recorder"] = Standing.failed, "python"
    news["thread"] = columns.thread.number
    news["frames"], news["values"] = columns.frames, columns.values
    news["objects"] = news.pop("modules") + columns.objects
    head = json_dumps(news).encode("ascii")
    names = ("times", "wheres", "whens", "owners", "keys")
    body = [array("Q", getattr(columns, name)).tobytes() for name in names]
    sizes = b"".join(len(each).to_bytes(8, "little") for each in (head, *body))
    return b"".join((sizes, head, *body))


def write(name: Any, data: bytes) -> None:
    try:
        handle = make_file(name + ".part", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            view = memoryview(data)
            while view:
                view = view[write_file(handle, view) :]
        finally:
            close_file(handle)
        rename_file(name + ".part", name)
    except BaseException:
        try:
            remove_file(name + ".part")
        except OSError:
            pass
        raise
    Spool.files.append((name, len(data)))
    Spool.size += len(data)
