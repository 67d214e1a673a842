"""Says what plans of launch.json are about, and what stands in their way."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from tuidbg.config.launch import DEFAULT_ADAPTER, AttachPlan, LaunchPlan, Plan, TargetKind
from tuidbg.config.launch_json.reading import NOT_ASKED_YET


def missing_target(plan: Plan) -> str:
    """Returns why a plan's program can't be there; empty where nothing is in the way."""
    if isinstance(plan, AttachPlan):
        return ""
    if not Path(plan.cwd).is_dir():
        return f"there is no folder {plan.cwd}"
    if plan.kind is TargetKind.MODULE:
        return ""
    if not Path(plan.target).exists():
        return f"there is no file {plan.target}"
    if plan.adapter == DEFAULT_ADAPTER and not Path(plan.first_source).is_file():
        return f"{plan.target} is no Python program"
    return ""


def describe_target(plan: Plan) -> str:
    """Returns what a plan is about, in a few words."""
    if isinstance(plan, LaunchPlan):
        is_module = plan.kind is TargetKind.MODULE
        words = ["-m", plan.target] if is_module else [os.path.basename(plan.target)]  # noqa: PTH119
        return _joined([*words, *plan.args])
    if plan.pid is not None:
        return "a process that you choose" if plan.pid == NOT_ASKED_YET else plan.title
    if plan.port == NOT_ASKED_YET:
        return f"{plan.host} at a port that you are asked for"
    return f"listens at {plan.title}" if plan.listen else plan.title


def describe_plan(plan: Plan) -> list[tuple[str, str]]:
    """Returns what a plan runs, for whoever is asked to agree to it."""
    if isinstance(plan, AttachPlan):
        return [("attach to", describe_target(plan))]
    target = ["-m", plan.target] if plan.kind is TargetKind.MODULE else [plan.target]
    by = [plan.python, *plan.python_args] if plan.adapter == DEFAULT_ADAPTER else []
    lines = [
        ("run", _joined([*by, *target, *plan.args])),
        ("in", plan.cwd),
    ]
    names = [*sorted(plan.env), *(f"without {name}" for name in plan.unset)]
    if names:
        lines.append(("environment", ", ".join(names)))
    return lines


def _joined(words: Sequence[str]) -> str:
    """As in a shell, but for what is not known yet (``Given.is_preview``)."""
    return " ".join(w if w.startswith("<") and w.endswith(">") else shlex.quote(w) for w in words)
