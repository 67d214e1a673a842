"""Brings debugpy into a running program, in a thread of its own, and connects it to tuidbg.

It says nothing in the program, whatever goes wrong. ``Setup.taken`` is a file that exists as long
as the program is wanted.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
import time

from tuidbg.debuggee.eager_imports import EagerImports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PATIENCE = 5.0
"""Seconds for which an earlier debugger may still be there."""

CHILDREN = "tuidbg.debuggee.preload.child_commands"


class InjectionRefused(Exception):
    """The program can't be debugged; the message is a sentence for a person."""


class Setup(object):
    """The facts that tuidbg sends: paths, the address to connect to, and its token."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.taken: str = facts["taken"]
        self.failed: str = facts["failed"]
        self.debugpy: str = facts["debugpy"]
        self.launcher: str = facts["launcher"]
        self.address = tuple(facts["address"])
        self.token: str = facts["token"]

    def is_wanted(self) -> bool:
        return os.path.exists(self.taken)


def begin(facts: dict[str, Any]) -> None:
    """Start the thread, which debugpy neither traces nor shows."""
    thread: Any = threading.Thread(
        target=work, args=(Setup(facts),), name="tuidbg attaches", daemon=True
    )
    thread.pydev_do_not_trace = thread.is_pydev_daemon_thread = True
    thread.start()


def work(setup: Setup) -> None:
    try:
        if setup.is_wanted():
            connect(setup)
    except BaseException as error:
        report(setup, error)


def connect(setup: Setup) -> None:
    quiet = "PYDEVD_DISABLE_FILE_VALIDATION"
    before = os.environ.get(quiet)
    os.environ[quiet] = "1"
    try:
        with EagerImports():
            load_debugpy(setup.debugpy)
    finally:
        if before is None:
            os.environ.pop(quiet, None)
        else:
            os.environ[quiet] = before
    import debugpy
    import pydevd

    be_quiet()
    lead_children(setup)
    take_over(pydevd)
    patch_beforehand()
    earlier = pydevd.get_global_debugger()
    if setup.is_wanted():
        try:
            debugpy.connect(setup.address, access_token=setup.token)
        except BaseException:
            ours = pydevd.get_global_debugger()
            if ours is not None and ours is not earlier:
                ours.dispose_and_kill_all_pydevd_threads(wait=False)
            raise


def load_debugpy(folder: str) -> None:
    """debugpy of tuidbg's, without its neighbours: what is installed beside it is not for here."""
    if "debugpy" not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            "debugpy", folder + "/__init__.py", submodule_search_locations=[folder]
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules["debugpy"] = module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            sys.modules.pop("debugpy", None)
            raise
    importlib.import_module("debugpy.server")


def be_quiet() -> None:
    """The program's stderr is not debugpy's."""
    from _pydev_bundle import pydev_log
    from _pydevd_bundle.pydevd_constants import NULL
    from debugpy.common import log

    if log.log_dir is None:
        log.stderr.levels = ()
        log.describe_environment = lambda header: None
        pydev_log._LoggingGlobals._debug_stream_initialized = True
        pydev_log._LoggingGlobals._debug_stream = NULL


def lead_children(setup: Setup) -> None:
    """Have the children that the program starts from now on led as those of a launched one."""
    from _pydev_bundle import pydev_monkey

    native = getattr(pydev_monkey.patch_args, "native", pydev_monkey.patch_args)
    is_led = getattr(native, "__module__", "") == CHILDREN
    if not is_led and os.path.exists(setup.launcher):
        from tuidbg.debuggee.preload import child_commands

        child_commands.lead_children(setup.launcher)


def take_over(pydevd: Any) -> None:
    """What an earlier debugger has left is still going for a moment after it has gone."""
    end = time.time() + PATIENCE
    while True:
        before = pydevd.get_global_debugger()
        if before is None:
            pydevd.SetupHolder.setup = None  # or what is forked calls the earlier one's adapter
            return
        if not before.is_attached():
            before.dispose_and_kill_all_pydevd_threads(wait=False)
        if pydevd.get_global_debugger() is None:
            continue
        if time.time() > end:
            if before.is_attached():
                raise InjectionRefused("another debugger is attached to it already")
            pydevd.set_global_debugger(None)
            continue
        time.sleep(0.02)


def patch_beforehand() -> None:
    """Apply the patches that come before the debugger: a program may fork meanwhile."""
    from tuidbg.debuggee.patches import connecting, registry, release_children

    assert connecting
    assert release_children
    registry.apply_pending()


def report(setup: Setup, error: BaseException) -> None:
    """Write why it failed into a file, which tuidbg reads."""
    try:
        if setup.is_wanted():
            with open(setup.failed + ".new", "w", encoding="utf-8") as file:
                kind = "" if isinstance(error, InjectionRefused) else "%s: " % type(error).__name__
                file.write((kind + str(error)).replace("\n", " "))
            os.rename(setup.failed + ".new", setup.failed)
    except OSError:
        pass  # tuidbg has removed the folder, and does not wait
