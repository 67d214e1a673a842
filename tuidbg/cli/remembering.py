"""Keeps what the next run wants of this one: the programs, and what was typed at the prompt."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.config.launch import DEFAULT_ADAPTER, DEMO, LaunchPlan, Plan, TargetKind
from tuidbg.config.stores.remembered import (
    RecentAttachment,
    RecentProgram,
    Remembered,
    with_attached,
    with_recent,
)

if TYPE_CHECKING:
    from tuidbg.config.request import LaunchRequest
    from tuidbg.config.stores.console_history import ConsoleHistory


def with_plan(remembered: Remembered, plan: Plan) -> Remembered | None:
    """The same with a plan that was run; None where that is nothing to come back to."""
    if isinstance(plan, LaunchPlan):
        if plan.target == str(DEMO):
            return None
        adapter, options = what_to_remember(plan)
        program = RecentProgram(plan.kind.value, plan.target, plan.args, plan.cwd, adapter, options)
        return with_recent(remembered, program)
    if plan.port is None or plan.is_child:
        return None
    mappings = tuple(plan.path_mappings.items())
    attachment = RecentAttachment(plan.host, plan.port, plan.listen, plan.ssh, mappings)
    return with_attached(remembered, attachment)


def what_to_remember(plan: LaunchPlan) -> tuple[str, tuple[str, ...]]:
    """The adapter and its options, as far as they would not be found again."""
    from msgspec import json

    from tuidbg.adapters.table import choose_adapter

    adapter, known = DEFAULT_ADAPTER, dict[str, Any]()
    if plan.kind is TargetKind.SCRIPT:
        adapter, known = choose_adapter(Path(plan.target))
    options = tuple(
        f"{key}={json.encode(value).decode()}"
        for key, value in plan.options.items()
        if key not in known or known[key] != value
    )
    return "" if adapter == plan.adapter else plan.adapter, options


def console_history() -> ConsoleHistory:
    """Of this run only where there is no home to keep it in."""
    from tuidbg.config.stores.console_history import ConsoleHistory, history_file

    try:
        return ConsoleHistory(history_file())
    except (OSError, RuntimeError):
        return ConsoleHistory()


FEW_COLORS = (
    "This terminal announces 256 colours at most. If it has true colour, set COLORTERM=truecolor"
    " here (ssh does not pass it on; see tuidbg help start)."
)


def tell_of_colors(remembered: Remembered, problems: list[str]) -> Remembered:
    """Say once, in ``problems``, that a terminal may have more colours than it announces.

    Returns what is to be remembered then.
    """
    from tuidbg.tui.drivers.picture.abilities import announces_less

    if "colors" in remembered.told or not announces_less(os.environ):
        return remembered
    problems.append(FEW_COLORS)
    return msgspec.structs.replace(remembered, told=(*remembered.told, "colors"))


def start_theme(asked: LaunchRequest, remembered: Remembered, problems: list[str]) -> str:
    """The theme to start with; that a configured one is unknown goes to ``problems``.

    Raises ThemeError for one that was asked for.
    """
    from tuidbg.tui.frame.theme import ThemeError, choose_theme, resolve_theme

    configured = asked.default_theme
    if configured:
        try:
            resolve_theme(configured)
        except ThemeError as error:
            problems.append(str(error))
            configured = ""
    return choose_theme(asked.theme, configured or remembered.theme)
