"""Commands that start another session: by a form, or from launch.json."""

from __future__ import annotations

from tuidbg.tui.panes.context import Context


def launch_program(ui: Context) -> None:
    ui.tuidbg.launching.launch()


def attach_to_program(ui: Context) -> None:
    ui.tuidbg.launching.attach()


def run_configuration(ui: Context) -> None:
    ui.tuidbg.launching.choose()
