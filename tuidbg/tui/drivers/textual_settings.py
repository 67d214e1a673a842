"""Imports the user interface with Textual as tuidbg wants it.

Not by Textual's environment variables themselves: those are the debugged program's.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

_PACE = {"MAX_FPS": ("TEXTUAL_FPS", 500), "ESCAPE_DELAY": ("ESCDELAY", 0.04)}
"""Textual's constants that tuidbg changes, with the variables by which a person decides instead.

60 frames a second would add 8 ms on average to each of the three repaints of a step. For a tenth of
a second after Esc the next key would be taken for a part of it.
"""

_NOT_FOR_US: dict[str, Any] = {
    "DEBUG": False,
    "DRIVER": None,
    "FILTERS": "",
    "LOG_FILE": None,
    "SCREENSHOT_DELAY": -1,
    "PRESS": "",
    "SHOW_RETURN": False,
    "COLOR_SYSTEM": "auto",
    "DEFAULT_THEME": "textual-dark",
}
"""Constants whose variables a person who debugs a Textual program may have set: for the program."""


def import_app() -> None:
    """Import the app; what the environment says to Textual's developers is not for it."""
    constants = importlib.import_module("textual.constants")
    for name, value in _NOT_FOR_US.items():
        setattr(constants, name, value)
    for name, (variable, value) in _PACE.items():
        if variable not in os.environ:
            setattr(constants, name, value)
    features = importlib.import_module("textual.features")
    setattr(features, "parse_features", lambda _: frozenset())  # noqa: B010 (the variable TEXTUAL)
    importlib.import_module("tuidbg.tui.app")
