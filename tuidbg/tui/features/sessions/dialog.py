"""The session list: show, create, delete or park a session.

The child processes of a session's program are below it, as a tree.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.state import Status
from tuidbg.tui.toolkit.dialogs.box import Box
from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.keys.key_reader import CLOSES, Hint
from tuidbg.tui.toolkit.widgets.following import cell
from tuidbg.tui.toolkit.widgets.rows import ListRow, RowsPane, visible
from tuidbg.tui.toolkit.wording import BADGES

if TYPE_CHECKING:
    from tuidbg.tui.features.sessions.clients import Clients

_STYLES = {Status.RUNNING: "good", Status.PAUSED: "warning", Status.FAILED: "error"}

_OVER = (Status.TERMINATED, Status.FAILED)

_MADE_BY = {
    "tui": "you",
    "rest": "REST",
    "bridge": "the bridge",
    "mcp": "MCP",
    "dap": "an editor",
}

_UNTIL_CELLS = 14

UPDATED_EVERY = 1.0
"""Seconds between two updates of the time until a session expires."""


class SessionChoice(NamedTuple):
    """The chosen action: ``show`` or ``delete`` the session of that id, or a ``new`` one."""

    what: str
    id: str = ""


class SessionsPane(RowsPane):
    """The sessions in the order of creation, each with its processes below."""

    EMPTY = "No sessions"


class SessionsDialog(Dialog[SessionChoice | None]):
    """The session list. Result: the chosen action; None on Esc."""

    HINTS = (
        Hint("enter", "show"),
        CLOSES,
        Hint("n", "new"),
        Hint("d", "delete"),
        Hint("p", "park"),
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", show=False),
        Binding("n", "new", show=False),
        Binding("d,delete", "delete", show=False),
        Binding("p", "park", show=False),
    ]
    DEFAULT_CSS = """
    SessionsDialog SessionsPane { min-height: 1; }
    """

    def __init__(self, clients: Clients) -> None:
        super().__init__()
        self._clients = clients

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = "Sessions"
            yield SessionsPane(id="sessions")

    @property
    def pane(self) -> SessionsPane:
        """The list."""
        return self.query_one(SessionsPane)

    def on_mount(self) -> None:
        self._show()
        if self._clients.member is not None:
            self.pane.move_cursor_to(self._clients.member.id)
        self.set_focus(self.pane)
        self.set_interval(UPDATED_EVERY, self._show)
        self.run_worker(self._follow())

    async def _follow(self) -> None:
        async for _ in self._clients.hub.events.follow():
            self._show()

    def on_resize(self) -> None:
        self._show()

    def _show(self) -> None:
        members = _as_tree(list(self._clients.hub))
        width = self.app.size.width - 5
        shown, current = self._clients.member, self._clients.hub.current
        self.pane.styles.height = max(1, len(members))
        is_tree = any(depth for _, depth in members)
        place = max((cell_len(visible(_place(m))) for m, _ in members), default=0)
        self.pane.set_rows(
            [
                _row(m, width, place, depth, is_tree, m is shown, m is current)
                for m, depth in members
            ]
        )

    @property
    def _chosen(self) -> HubSession | None:
        return next((m for m in self._clients.hub if m.id == self.pane.cursor_key), None)

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        self._give("show")

    def action_new(self) -> None:
        if self.is_active:
            self.dismiss(SessionChoice("new"))

    def action_delete(self) -> None:
        """Delete the session under the cursor, after a question."""
        self._give("delete")

    def _give(self, what: str) -> None:
        if self.is_active and (member := self._chosen) is not None:
            self.dismiss(SessionChoice(what, member.id))

    def action_park(self) -> None:
        """Park the session under the cursor so that it does not expire, or unpark it."""
        if (member := self._chosen) is not None:
            member.is_parked = not member.is_parked
            self._show()

    def action_close(self) -> None:
        """Close without a result."""
        if self.is_active:
            self.dismiss(None)


def _as_tree(members: Sequence[HubSession]) -> list[tuple[HubSession, int]]:
    """Return each session after its parent, with its depth."""
    below: dict[str, list[HubSession]] = {}
    for member in members:
        below.setdefault(member.parent_id, []).append(member)
    rows: list[tuple[HubSession, int]] = []
    waiting = [(member, 0) for member in reversed(below.get("", []))]
    while waiting:
        member, depth = waiting.pop()
        rows.append((member, depth))
        waiting += [(child, depth + 1) for child in reversed(below.get(member.id, []))]
    return rows


def _row(
    member: HubSession,
    width: int,
    place: int,
    depth: int,
    is_tree: bool,
    is_shown: bool,
    is_current: bool,
) -> ListRow:
    """Return a session as a row of at most ``width`` cells; columns that don't fit are omitted.

    ``place`` is the width of the longest place.
    """
    status = member.session.status
    mark = "▷ " if is_shown else "  "
    is_wide = width >= 90
    branch = "  " * (depth - 1) + "└ " if depth else ""
    name = member.name.removesuffix(f" {member.pid}") if depth else member.name
    more_room = 4 if is_tree else 0
    name = cell(branch + name, (18 if is_wide else 12) + more_room) + " "
    name_style = "faint" if depth and status in _OVER else "strong" if is_current else "name"
    state = cell(BADGES[status][0], 10) + " "
    more = cell(_MADE_BY.get(member.origin, member.origin), 10) + " " if width >= 70 else ""
    more += cell(member.id, 13) + " " if is_wide else ""
    rest = width - len(mark) - cell_len(name) - len(state) - cell_len(more) - _UNTIL_CELLS - 1
    return ListRow(
        member.id,
        (
            (mark, "strong"),
            (name, name_style),
            (state, _STYLES.get(status, "faint")),
            (cell(_place(member), max(8, min(place, rest))) + " ", "value"),
            (more, "faint"),
            (_until(member), "faint"),
        ),
    )


def _place(member: HubSession) -> str:
    frames = member.session.frames
    if member.session.status is Status.PAUSED and frames and frames[0].place is not None:
        return f"{PurePath(frames[0].place.path).name}:{frames[0].place.line}"
    return "" if member.parent_id else member.session.plan.title


def _until(member: HubSession) -> str:
    """Return the time of its expiry; for a child process, its number."""
    if member.parent_id:
        return f"pid {member.pid}" if member.pid is not None else ""
    if member.is_parked:
        return "parked"
    ends = member.expires_at
    if ends is None:
        return "viewing"
    left = max(0, round(ends - time.time()))
    return f"ends in {left // 60}:{left % 60:02}"
