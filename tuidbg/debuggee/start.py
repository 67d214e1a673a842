"""What tuidbg does first in each program: the patches of pydevd, and breakpoints at full speed."""

from __future__ import annotations

import sys

from tuidbg.debuggee import loader
from tuidbg.debuggee.patches import registry
from tuidbg.debuggee.swallowed import SWALLOWED

PATCHES = (
    "pydevd_patches",
    "process_end",
    "held_locals",
    "loaded_lines",
    "simultaneous_stops",
    "step_over_fast_path",
    "pause_after_step",
    "skipped_frames",
    "step_details",
    "release_children",
    "shell_children",
    "latency",
    "connecting",
    "main_module",
)
"""The modules of ``patches``, in the order in which they are applied."""

FULL_SPEED = "full_speed.full_speed"
FULL_SPEED_PATCH = "run breakpoints and steps at full speed"

IS_PATCHED: list[bool] = []
"""Not empty once it is; a debugger may get a further client."""


def start(is_attached: bool = False) -> str:
    """Prepare the present debugger; a sentence about patches that do not fit, or "".

    ``is_attached``: an earlier client may have left something.
    """
    if is_attached:
        forget_breakpoints()
    if not IS_PATCHED:
        IS_PATCHED.append(True)
        for name in PATCHES:
            apply_patches(name)
    sentence = begin_full_speed() if sys.version_info >= (3, 12) else ""
    debugger = loader.find_loaded("patches.debugger")
    if sentence and debugger is not None:
        debugger.report(sentence)
    return registry.notice()


def apply_patches(name: str) -> None:
    """Apply the patches of one module; where it does not fit, the others are applied."""
    try:
        loader.load_module("patches." + name)
        registry.apply_pending()
    except Exception as error:
        registry.fail("all of " + name, error)


def begin_full_speed() -> str:
    """Replace breakpoints and steps of pydevd's; a sentence for the person, if need be."""
    pydevd = sys.modules["pydevd"]
    if pydevd.get_global_debugger() is None:
        return ""
    registry.apply(FULL_SPEED_PATCH, lambda: None)
    if FULL_SPEED_PATCH in registry.FAILED or pydevd.pydevd_sys_monitoring is None:
        return ""  # pydevd is not as expected, or is asked to do without
    module = None
    try:
        module = loader.load_module(FULL_SPEED)
        return str(module.begin())
    except Exception as error:
        if module is not None:
            module.remove()
        registry.fail(FULL_SPEED_PATCH, error)
        return ""


def forget_breakpoints() -> None:
    """Hit counts begin again, and no exception stops by a rule of an earlier client."""
    probe = loader.find_loaded("probe.probe")
    if probe is not None:
        try:
            probe.forget(list(probe.HITS))
            probe.catch(None)
        except Exception as error:
            SWALLOWED["start.forget_breakpoints", type(error)] += 1
