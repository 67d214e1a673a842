"""Makes what runs in a program that is entered, on Python 3.8 and newer, from the first byte on.

Two texts. The first is put into the program's memory and is run by its main thread wherever that
happens to be, maybe long after everybody has lost interest: it only starts a thread, and says
nothing whatever goes wrong. That thread takes the second one from a file, by giving the file
another name: so it is taken once at most, however often the first is run, and where the file is
gone nobody wants it any more.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path

from tuidbg.debuggee.bundle import LAUNCHER, alone_expression

WANTED, TAKEN, FAILED = "wanted.py", "taken.py", "failed"
"""Files in the folder of an entrance: the second text, before and while it is run, and why not."""

_FIRST = """\
try:
    __import__('threading' if __import__('sys').version_info < (3, 13) else '_thread')
    __import__('_thread').start_new_thread(exec, ({text!r}, {{}}))
except KeyboardInterrupt:
    __import__('_thread').interrupt_main()
except BaseException:
    pass
"""
"""Leaves no name behind: it is run among the names of ``__main__``.

Before 3.13, whichever thread imports ``threading`` first is its main thread for ever. Ctrl+C that
comes just here is the program's.
"""

_IN_THREAD = """\
try:
    import os
    os.rename({wanted!r}, {taken!r})
    with open({taken!r}, encoding='utf-8') as file:
        exec(compile(file.read(), '<tuidbg>', 'exec'), {{}})
except BaseException:
    pass
"""

_SECOND = '''\
SETUP = {setup!r}
PATIENCE = 5.0


def is_wanted():
    import os

    return os.path.exists(SETUP["taken"])


def load_debugpy():
    """debugpy of tuidbg's, without its neighbours: what is installed beside it is not for here."""
    import sys

    if "debugpy" not in sys.modules:
        import importlib.util

        folder = SETUP["debugpy"]
        spec = importlib.util.spec_from_file_location(
            "debugpy", folder + "/__init__.py", submodule_search_locations=[folder]
        )
        sys.modules["debugpy"] = module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            sys.modules.pop("debugpy", None)
            raise
    import debugpy.server


def complete_library():
    """A frozen program (PyInstaller's) has only the modules of Python that it imports itself."""
    import sys

    if not getattr(sys, "frozen", False):
        return
    version, folders = SETUP["library"]
    if tuple(sys.version_info[:2]) != version:
        raise Refused(
            "it is a frozen program with a part of Python's library only: debugpy needs the rest,"
            " which a tuidbg that runs on Python %d.%d has" % sys.version_info[:2]
        )
    sys.path += [each for each in folders if each not in sys.path]


def be_quiet():
    """The program's stderr is not debugpy's."""
    from _pydev_bundle import pydev_log
    from _pydevd_bundle.pydevd_constants import NULL
    from debugpy.common import log

    if log.log_dir is None:
        log.stderr.levels = ()
        log.describe_environment = lambda header: None
        pydev_log._LoggingGlobals._debug_stream_initialized = True
        pydev_log._LoggingGlobals._debug_stream = NULL


def lead_children():
    """Have the children that the program starts from now on led as those of a launched one."""
    import os
    from _pydev_bundle import pydev_monkey

    is_led = getattr(pydev_monkey.patch_args, "__module__", "") == "tuidbg_children"
    if not is_led and os.path.exists(SETUP["launcher"]):
        space = {"__name__": "tuidbg_children"}
        exec(compile(SETUP["children"], SETUP["launcher"], "exec"), space)
        space["lead_children"](SETUP["launcher"])


class Refused(Exception):
    pass


def take_over(pydevd):
    """What an earlier debugger has left is still going for a moment after it has gone."""
    import time

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
                raise Refused("another debugger is attached to it already")
            pydevd.set_global_debugger(None)
            continue
        time.sleep(0.02)


def connect():
    import os

    quiet = "PYDEVD_DISABLE_FILE_VALIDATION"
    before = os.environ.get(quiet)
    os.environ[quiet] = "1"
    space = {"__name__": "tuidbg_eager"}
    exec(compile(SETUP["eager"], "<tuidbg eager>", "exec"), space)
    complete_library()
    try:
        with space["EagerImports"]():
            load_debugpy()
    finally:
        if before is None:
            os.environ.pop(quiet, None)
        else:
            os.environ[quiet] = before
    import debugpy
    import pydevd

    be_quiet()
    lead_children()
    take_over(pydevd)
    space = {"__name__": "letting_go"}
    for text in SETUP["letting_go"]:
        exec(compile(text, "<tuidbg letting_go>", "exec"), space)
        if "register" in space and not space["PATCHES"]:
            space["register"](space["TABLE"])
    before = pydevd.get_global_debugger()
    if is_wanted():
        try:
            debugpy.connect(tuple(SETUP["address"]), access_token=SETUP["token"])
        except BaseException:
            ours = pydevd.get_global_debugger()
            if ours is not None and ours is not before:
                ours.dispose_and_kill_all_pydevd_threads(wait=False)
            raise


def work():
    try:
        if is_wanted():
            connect()
    except BaseException as error:
        tell(error)


def tell(error):
    try:
        if is_wanted():
            with open(SETUP["failed"] + ".new", "w", encoding="utf-8") as file:
                kind = "" if isinstance(error, Refused) else "%s: " % type(error).__name__
                file.write((kind + str(error)).replace("\\n", " "))
            import os

            os.rename(SETUP["failed"] + ".new", SETUP["failed"])
    except BaseException:
        pass


import threading

thread = threading.Thread(target=work, name="tuidbg attaches", daemon=True)
thread.pydev_do_not_trace = thread.is_pydev_daemon_thread = True
thread.start()
'''


def first_text(folder: str) -> str:
    """Returns what the main thread runs; ASCII, however the folder is called."""
    in_thread = _IN_THREAD.format(wanted=f"{folder}/{WANTED}", taken=f"{folder}/{TAKEN}")
    return ascii_only(_FIRST.format(text=in_thread))


def second_text(folder: str, debugpy: str, address: tuple[str, int], token: str | None) -> str:
    """Returns what the thread runs: it has debugpy, of that folder, connect to an adapter."""
    setup = {
        "taken": f"{folder}/{TAKEN}",
        "failed": f"{folder}/{FAILED}",
        "debugpy": debugpy,
        "address": address,
        "token": token,
        "launcher": str(LAUNCHER),
    }
    return alone_expression("attach_payload", "begin", setup)


def _library() -> list[str]:
    """The folders of our own Python's library."""
    library = sysconfig.get_path("stdlib")
    return [library, f"{library}/lib-dynload"]


def removing_text(script: Path) -> str:
    """Returns what removes itself and its folder, where the program still runs it."""
    names = ascii_only(f"os.unlink({str(script)!r}), os.rmdir({str(script.parent)!r})")
    return f"(lambda os: ({names}))(__import__('os'))\n"


def ascii_only(text: str) -> str:
    """The text with all else as escapes, which only strings can hold."""
    return text.encode("ascii", "backslashreplace").decode("ascii")
