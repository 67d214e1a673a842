"""Takes debugpy's compiled parts from the program's own environment, where they fit.

For ``debugpy_launcher.py``, before pydevd is imported. tuidbg's debugpy has
them for tuidbg's own version of Python; in a program of another one it is slower by far. Where that
has the same version of debugpy installed, made for its Python, the parts are taken from there.
"""

from __future__ import annotations

import importlib
import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import spec_from_file_location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


NAMES = (
    "_pydevd_bundle.pydevd_cython",
    "_pydevd_sys_monitoring._pydevd_sys_monitoring_cython",
)


class Finder(object):
    """Asked last: what debugpy has itself is never taken from elsewhere."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        file = self.files.get(name)
        return spec_from_file_location(name, file) if file else None


def find_speedups(version: str) -> dict[Any, Any]:
    """The compiled parts of that version of debugpy for this Python, by the names of modules."""
    for place in sys.path:
        if os.path.isdir(os.path.join(place, "debugpy-%s.dist-info" % version)):
            return dict(compiled_in(os.path.join(place, "debugpy", "_vendored", "pydevd")))
    return {}


def compiled_in(folder: str) -> Iterator[Any]:
    for name in NAMES:
        for suffix in EXTENSION_SUFFIXES:
            file = os.path.join(folder, *name.split(".")) + suffix
            if os.path.isfile(file):
                yield name, file
                break


def import_with_speedups() -> None:
    """Import debugpy's server, and with it pydevd; leaves nothing behind in the program."""
    finder = Finder(find_speedups(sys.modules["debugpy"].__version__))
    sys.meta_path.append(finder)
    try:
        importlib.import_module("debugpy.server.cli")
    finally:
        sys.meta_path.remove(finder)
