"""Stops a run of pytest that is debugged at the first line of the person's own code.

That is the first ``conftest.py`` or test module that pytest imports; the first stop, wherever it
is, is the only one. It must be read by every Python that debugpy supports.
"""

import ast
import importlib
import os
import sys

import pytest

NAME = "tuidbg_entry_for_pytest"
NUMBER = 2**30 + 1
"""Of the breakpoints at first lines; those of tuidbg count from 1."""
MOST_FOLDERS = 50

_paths = set()


def pytest_load_initial_conftests(early_config):
    if not _is_debugged():
        return
    known = early_config.known_args_namespace
    words = getattr(known, "file_or_dir", None) or early_config.getini("testpaths") or [""]
    for word in words[:MOST_FOLDERS]:
        place = os.path.abspath(word.split("::")[0])
        folder = place if os.path.isdir(place) else os.path.dirname(place)
        for conftest in _conftests(folder):
            _stop_in(conftest)
    _watch()


def pytest_collectstart(collector):
    if _paths is not None and isinstance(collector, pytest.Module) and _is_debugged():
        _stop_in(str(getattr(collector, "path", None) or collector.fspath))


def _conftests(folder):
    """Those that pytest imports for a folder before it collects anything."""
    if os.path.isdir(folder):
        for name in sorted(os.listdir(folder))[:1000]:
            if name.startswith("test"):
                yield os.path.join(folder, name, "conftest.py")
    while True:
        yield os.path.join(folder, "conftest.py")
        folder, before = os.path.dirname(folder), folder
        if folder == before:
            return


def _is_debugged():
    return "PYTEST_XDIST_WORKER" not in os.environ and _debugger() is not None


def _debugger():
    pydevd = sys.modules.get("pydevd")
    return pydevd.get_global_debugger() if pydevd is not None else None


def _api():
    return importlib.import_module("_pydevd_bundle.pydevd_api").PyDevdAPI()


def _stop_in(path):
    line = 0 if path in _paths else _first_line(path)
    if line:
        _paths.add(path)
        place = (_debugger(), path, "python-line", NUMBER, line)
        _api().add_breakpoint(*place, None, "None", None, "ALL", None, False)


def _first_line(path):
    """The first statement's that does something; 0 where there is none."""
    try:
        with open(path, "rb") as source:
            tree = ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        return 0
    for node in tree.body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text or getattr(node, "module", None) == "__future__":
            continue
        return min([node.lineno] + [each.lineno for each in getattr(node, "decorator_list", ())])
    return 0


def _watch():
    """Call the stop what it is, and take the others back."""
    debugger = _debugger()
    wait = debugger.do_wait_suspend

    def do_wait_suspend(thread, *args, **named):
        global _paths
        paths, _paths = _paths, None
        for path in paths or ():
            _api().remove_breakpoint(debugger, path, "python-line", NUMBER)
        info = thread.additional_info
        if info.hit_breakpoint_ids == [NUMBER]:
            numbers = importlib.import_module("_pydevd_bundle.pydevd_comm_constants")
            thread.stop_reason = info.pydev_original_step_cmd = numbers.CMD_STOP_ON_START
            info.hit_breakpoint_ids = None
        wait(thread, *args, **named)

    debugger.do_wait_suspend = do_wait_suspend
