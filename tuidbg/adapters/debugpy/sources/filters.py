"""Just-my-code in debugpy, switched while the program lives.

debugpy takes ``justMyCode`` and ``rules`` with the launch only. What it makes of them lies in
pydevd's ``FilesFiltering``, and can be replaced there by an expression evaluated in the program
(DAP ``evaluate`` without a frame, which works while it runs, too).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import msgspec

ROOTS_EXPRESSION = (
    "(lambda f: (list(f._get_library_roots()), list(f._get_project_roots())))"
    "(__import__('pydevd').get_global_debugger()._files_filtering)"
)
"""Evaluates to the folders of libraries and those of own code; ``read_roots`` reads the answer."""

_SWITCH = (
    "(lambda d, modules: ("
    "d._files_filtering.set_exclude_filters("
    "modules['_pydevd_bundle.pydevd_process_net_command_json']"
    "._convert_rules_to_exclude_filters({rules!r}, lambda problem: None)), "
    "d.set_use_libraries_filter({just_my_code!r}), "
    "d.on_breakpoints_changed()) and None)"
    "(__import__('pydevd').get_global_debugger(), __import__('sys').modules)"
)


class Roots(msgspec.Struct, frozen=True):
    """The folders in which everything is a library, and those in which everything is own code.

    Where both hold a file the longer one counts; without any ``own`` all is own that is in no
    library (``FilesFiltering.in_project_roots``).
    """

    libraries: tuple[str, ...] = ()
    own: tuple[str, ...] = ()


def live_rules_expression(just_my_code: bool, rules: Sequence[dict[str, Any]]) -> str:
    """The expression that puts other rules in force at once; ``rules`` as in a launch request.

    They go through the same conversion as those of a launch. ``set_use_libraries_filter`` drops
    what was decided with the old ones, ``on_breakpoints_changed`` has the frames traced in which
    the program is already (and marks each code object as to be looked at again, from 3.12 on).
    It imports nothing and prints nothing.

    Before 3.12 one frame escapes: the one in which the program stands still while it is being
    hidden stays traced until breakpoints or rules change while the program runs, or it returns.

    Breakpoints that debugpy had answered with "excluded by filters" are armed all the same; only
    its answer for them is out of date, until they are sent again.
    """
    plain = [dict(rule) for rule in rules]
    return _SWITCH.format(rules=plain, just_my_code=just_my_code)


def read_roots(value: str) -> Roots:
    """Returns what ``ROOTS_EXPRESSION`` evaluated to; nothing where it is something else."""
    try:
        libraries, own = ast.literal_eval(value)
        return Roots(tuple(libraries), tuple(own))
    except (ValueError, SyntaxError, TypeError):
        return Roots()
