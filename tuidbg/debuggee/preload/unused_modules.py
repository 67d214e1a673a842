"""Replaces modules that pydevd imports and no DAP session uses, while pydevd is imported.

For ``debugpy_launcher.py``. pydevd has an XML-RPC client and servers of its
own consoles in hand; with HTTP, e-mail and TLS below them they are a fifth of the time until the
program's first line, and 6 MB of its memory. debugpy lists the installed packages in its log only.
The program imports the real ones if it wants them.
"""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


UNUSED = {
    "xmlrpc": (),
    "xmlrpc.client": ("Marshaller", "Server", "ServerProxy"),
    "xmlrpc.server": ("SimpleXMLRPCServer",),
    "http": (),
    "http.server": ("BaseHTTPRequestHandler",),
    "importlib.metadata": ("distributions",),
}
"""The modules, packages first, with what pydevd looks up in them."""


def _put_off(module: str, name: str) -> Any:
    """A replacement of a class, whose instances are of the real module's."""

    def make(*arguments: Any, **named: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*arguments, **named)

    return make


class StandIns(object):
    """A context manager: what it puts into ``sys.modules`` is gone again behind it."""

    def __init__(self) -> None:
        self.modules: dict[Any, Any] = {}

    def __enter__(self) -> None:
        if os.environ.get("GEVENT_SUPPORT"):
            return  # pydevd imports them twice, for copies that gevent does not patch
        for name, classes in UNUSED.items():
            package, _, part = name.partition(".")
            is_below = bool(part) and package in UNUSED
            if name in sys.modules or (is_below and package not in self.modules):
                continue  # the real one is there, or its package is
            module = self.modules[name] = sys.modules[name] = ModuleType(name)
            for each in classes:
                setattr(module, each, _put_off(name, each))
            if is_below:
                setattr(self.modules[package], part, module)
            elif not part:  # other parts of it are the real ones
                module.__path__ = [os.path.join(os.path.dirname(os.__file__), name)]

    def __exit__(self, *error: object) -> None:
        for name, module in self.modules.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
