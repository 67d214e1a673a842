"""pydevd's facts about stepping that have no DAP request, or are set at the start only."""

from __future__ import annotations

import pydevd
from _pydev_bundle._pydev_saved_modules import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any


DB = pydevd.get_global_debugger()


def hold_others(frame: FrameType, hold: bool) -> bool:
    """Sets whether other threads stand still while one steps; for the steps that come."""
    DB.stepping_resumes_all_threads = not hold
    return hold


def target_lines(frame: FrameType) -> Any:
    """The lines, first and last, of the calls that were just listed for this thread, by their ids.

    pydevd lists those of the whole function.
    """
    info = getattr(threading.current_thread(), "additional_info", None)
    variants = getattr(info, "target_id_to_smart_step_into_variant", None) or {}
    found = {}
    for target_id, variant in variants.items():
        lines = [variant.line, getattr(variant, "endlineno", -1)]
        if getattr(variant, "parent", None) is not None:  # a call in a comprehension
            lines[0] = min(lines[0], variant.parent.line)
        found[str(target_id)] = [lines[0], max(lines)]
    return found
