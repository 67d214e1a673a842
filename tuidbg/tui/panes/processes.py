"""The processes of a program: their number in the status line, and the switch to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.session.core.process_tree.family import ProcessTree
from tuidbg.session.core.session import Session
from tuidbg.session.model.state import Status
from tuidbg.tui.toolkit.widgets.rows import Piece

if TYPE_CHECKING:
    pass

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


def count_pieces(family: ProcessTree, shown: Session) -> list[Piece]:
    """Return the status line pieces about the others: how many live, how many are stopped."""
    living = [r.session for r in family if r.is_program and not r.is_over]
    if len(living) < 2:
        return []
    stopped = sum(s.status is Status.PAUSED for s in living if s is not shown)
    count: Piece = (f"{len(living)} processes", "hint")
    return [count, (f", {stopped} stopped  ", "warning") if stopped else ("  ", "")]
