"""Layout commands: focus and sizes of the panes."""

from __future__ import annotations

from tuidbg.tui.panes.context import Context


def focus_source(ui: Context) -> None:
    ui.focus_pane("source")


def focus_variables(ui: Context) -> None:
    ui.focus_pane("variables")


def focus_stack(ui: Context) -> None:
    ui.focus_pane("stack")


def focus_breakpoints(ui: Context) -> None:
    ui.focus_pane("breakpoints")


def focus_console(ui: Context) -> None:
    ui.focus_pane("console")


def focus_trace(ui: Context) -> None:
    ui.focus_pane("trace")


def focus_activity(ui: Context) -> None:
    ui.focus_pane("activity")


def focus_log(ui: Context) -> None:
    ui.focus_pane("log")


def next_pane(ui: Context) -> None:
    ui.cycle_panes(1)


def previous_pane(ui: Context) -> None:
    ui.cycle_panes(-1)


def maximise(ui: Context) -> None:
    ui.maximise()


def widen_pane(ui: Context) -> None:
    ui.grow(columns=4)


def narrow_pane(ui: Context) -> None:
    ui.grow(columns=-4)


def heighten_pane(ui: Context) -> None:
    ui.grow(rows=2)


def lower_pane(ui: Context) -> None:
    ui.grow(rows=-2)
