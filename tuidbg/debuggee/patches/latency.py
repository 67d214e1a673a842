"""Takes waiting and needless imports out of pydevd; it imports nothing into the program."""

from __future__ import annotations

import builtins
import sys

from tuidbg.debuggee.patches.debugger import DB
from tuidbg.debuggee.patches.registry import find_module, patch, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

native_queue: Any
native_import: Any
# What the functions here stand for.


def get_internal_queue_and_event(ident: int) -> Any:
    """Replacement for pydevd's; wakes all threads that wait, and each looks whether it is meant.

    A thread that shall go on slept up to 200 ms longer: pydevd's ``_update_stepping_info`` wakes
    whichever thread came last in a loop (its variable hides the argument).
    """
    for event in tuple(DB._thread_events.values()):
        if not event.is_set():
            event.set()
    return native_queue(ident)


@patch("wake threads at once")
def patch_waking() -> None:
    global native_queue
    native_queue = replace(DB, "get_internal_queue_and_event", get_internal_queue_and_event)


def import_loaded(name: str, *rest: Any) -> Any:
    """Replacement for ``import`` where pydevd looks for Django's classes at its first value."""
    is_left_out = name.startswith("django.") and name not in sys.modules
    return native_import("no " + name if is_left_out else name, *rest)


@patch("leave Django alone until the program imports it")
def patch_django() -> None:
    global native_import
    xml = find_module("_pydevd_bundle.pydevd_xml")
    native_import = builtins.__import__
    named = dict(vars(builtins), __import__=import_loaded)
    native = xml._create_default_type_map
    xml._create_default_type_map = type(native)(
        native.__code__, dict(vars(xml), __builtins__=named)
    )


# pydevd sends a message's header and body apart and without TCP_NODELAY, which costs 44 ms a
# message. On Linux our adapter acknowledges at once; it is not ours beside an attached program.
@patch("send at once")
def patch_sending() -> None:
    if DB.writer is not None:
        DB.writer.sock.setsockopt(6, 1, 1)
