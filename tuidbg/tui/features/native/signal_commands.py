"""Commands for native programs: signals, and core files of the present state."""

from __future__ import annotations

from pathlib import Path

from tuidbg.session.model.errors import DebuggerError
from tuidbg.tui.panes.context import Context

_CORE = "core"


def send_signal(ui: Context) -> None:
    from tuidbg.session.features.native.signals import read_signal
    from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

    def check(text: str) -> str:
        try:
            read_signal(text)
        except DebuggerError as error:
            return str(error)
        return ""

    def take(text: str | None) -> None:
        if text is not None:
            _send_signal(ui, text)

    hint = "its name or its number"
    ui.app.push_screen(PromptDialog("Signal", hint=hint, value="TERM", on_submit=check), take)


def _send_signal(ui: Context, text: str) -> None:
    from tuidbg.session.features.native.signals import send_signal

    try:
        sent = send_signal(ui.session, text)
    except DebuggerError as error:
        ui.status.show_hint(str(error), "error")
    else:
        ui.status.show_hint(f"{sent.name} was sent to the program")


def save_core(ui: Context) -> None:
    from tuidbg.session.features.native.cores import core_obstacle, core_path_problem
    from tuidbg.tui.panes.file_prompt import ask_for_file

    if obstacle := core_obstacle(ui.session):
        ui.status.show_hint(obstacle, "warning")
        return
    ask_for_file(
        ui,
        "Write a core file to",
        hint="it holds the program's memory",
        default=_CORE,
        find_problem=core_path_problem,
        write=lambda path: ui.run_in_background("core", _save_core, ui, path),
    )


async def _save_core(ui: Context, path: Path) -> None:
    from tuidbg.session.features.native.cores import save_core

    try:
        await save_core(ui.session, path)
    except DebuggerError as error:
        ui.status.show_hint(str(error), "error")
    else:
        ui.status.show_hint(f"written; `tuidbg --core {path}` looks into it")
