"""The processes of a program, and the switch to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tuidbg.session.core.process_tree.family import ProcessInfo
    from tuidbg.tui.panes.context import Context


ALONE = "the program has no other process that is debugged"


def show_process(ui: Context, relative: ProcessInfo) -> None:
    """Switch to another process."""
    app = ui.tuidbg
    clients = app.ready_clients()
    member = clients.hub.find(relative.session) if clients is not None else None
    if member is not None:
        ui.app.call_later(app.show_session, member)
