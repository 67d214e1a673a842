"""The commands for native programs: signals, and core files of what they are just now."""

from __future__ import annotations

from pathlib import Path

from tuidbg.session.errors import DebuggerError
from tuidbg.tui.pane_screen import PaneScreen

_CORE = "core"


class SignalCommands(PaneScreen, is_part=True):
    """Adds them to the screen. The dialogs are imported when they are wanted."""

    def command_send_signal(self) -> None:
        from tuidbg.session.native.signals import read_signal
        from tuidbg.tui.dialogs.prompt import PromptDialog

        def check(text: str) -> str:
            try:
                read_signal(text)
            except DebuggerError as error:
                return str(error)
            return ""

        def take(text: str | None) -> None:
            if text is not None:
                self._send_signal(text)

        hint = "its name or its number"
        self.app.push_screen(PromptDialog("Signal", hint=hint, value="TERM", on_submit=check), take)

    def _send_signal(self, text: str) -> None:
        from tuidbg.session.native.signals import send_signal

        try:
            sent = send_signal(self.session, text)
        except DebuggerError as error:
            self.status.show_hint(str(error), "error")
        else:
            self.status.show_hint(f"{sent.name} was sent to the program")

    def command_save_core(self) -> None:
        from tuidbg.session.native.cores import core_obstacle, core_path_problem
        from tuidbg.tui.widgets.file_prompt import ask_for_file

        if obstacle := core_obstacle(self.session):
            self.status.show_hint(obstacle, "warning")
            return
        ask_for_file(
            self,
            "Write a core file to",
            hint="it holds the program's memory",
            default=_CORE,
            find_problem=core_path_problem,
            write=lambda path: self.run_in_background("core", self._save_core, path),
        )

    async def _save_core(self, path: Path) -> None:
        from tuidbg.session.native.cores import save_core

        try:
            await save_core(self.session, path)
        except DebuggerError as error:
            self.status.show_hint(str(error), "error")
        else:
            self.status.show_hint(f"written; `tuidbg --core {path}` looks into it")
