"""The sources of a project that the program has loaded, by ``sys.modules``."""

from __future__ import annotations

import json
import sys

from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def loaded(folder: str) -> Any:
    """The ``.py`` files below that folder, as JSON. No code of a module's own is run for it."""
    found = set()
    for module in list(sys.modules.values()):
        try:
            path = object.__getattribute__(module, "__dict__").get("__file__")
        except Exception as swallowed:
            SWALLOWED["sources.loaded", type(swallowed)] += 1
            continue
        if type(path) is str and path.startswith(folder) and path.endswith(".py"):
            found.add(path)
    return json.dumps(sorted(found))
