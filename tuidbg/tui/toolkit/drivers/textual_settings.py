"""Import of the user interface with tuidbg's Textual settings.

Textual's environment variables are not set for this: they belong to the debuggee.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

_PACE = {"MAX_FPS": ("TEXTUAL_FPS", 500), "ESCAPE_DELAY": ("ESCDELAY", 0.04)}
"""Textual constants changed by tuidbg, with the variables that let the user override them.

60 frames a second would add 8 ms on average to each of the three repaints of a step. For a tenth of
a second after Esc the next key would be read as a part of it.
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
"""Constants whose variables the user may have set to debug a Textual program: they are for it."""


def import_app() -> None:
    """Import the app, ignoring the environment variables for Textual's developers."""
    constants = importlib.import_module("textual.constants")
    for name, value in _NOT_FOR_US.items():
        setattr(constants, name, value)
    for name, (variable, value) in _PACE.items():
        if variable not in os.environ:
            setattr(constants, name, value)
    features = importlib.import_module("textual.features")
    setattr(features, "parse_features", lambda _: frozenset())  # noqa: B010 (the variable TEXTUAL)
    importlib.import_module("tuidbg.tui.app.app")
