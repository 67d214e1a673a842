"""The environment of a program that is pytest: with tuidbg's plug-in (``debuggee/pytest_path``)."""

from __future__ import annotations

import os
from pathlib import PurePath

from tuidbg.config.launch import LaunchPlan, TargetKind
from tuidbg.debuggee.bundle import PYTEST_PATH

_PLUGIN = "-ptuidbg_for_pytest"

_NAMES = ("pytest", "py.test")

_BLIND = ("-I", "-E")
"""Words with which Python does not look at its variables; pytest would miss the plug-in then."""


def pytest_variables(plan: LaunchPlan) -> dict[str, str]:
    """Returns what to add to the environment; nothing where the program is not pytest."""
    is_module = plan.kind is TargetKind.MODULE
    name = plan.target if is_module else PurePath(plan.target).name
    if name not in _NAMES or not (is_module or plan.is_command):
        return {}
    if any(word.startswith(_BLIND) for word in plan.python_args):
        return {}
    return {
        "PYTHONPATH": _joined(plan, "PYTHONPATH", os.pathsep, str(PYTEST_PATH)),
        "PYTEST_ADDOPTS": _joined(plan, "PYTEST_ADDOPTS", " ", _PLUGIN),
    }


def _joined(plan: LaunchPlan, variable: str, separator: str, ours: str) -> str:
    if variable in plan.unset:
        return ours
    known = plan.env.get(variable, os.environ.get(variable, ""))
    return f"{known}{separator}{ours}" if known else ours
