"""The variables of the selected frame, for their pane and the inline values."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from tuidbg.session.core.session import Session
from tuidbg.session.core.values.types import ChildrenRequest, VariableNode
from tuidbg.session.model.errors import DebuggerError, StaleReply
from tuidbg.session.model.state import Frame
from tuidbg.tui.panes.source.inline_values import InlineValues
from tuidbg.tui.panes.variables.variables_pane import CallIdentity, Path
from tuidbg.tui.panes.variables.watch_view import WatchView
from tuidbg.tui.panes.view.shown import PaneHost, ViewFocus

FETCHING_AFTER = 0.12
"""Seconds after which known variables are shown without the rest."""


class VariablesView:
    """The variables and watches of a frame."""

    def __init__(self, session: Session, focus: ViewFocus, shown: PaneHost) -> None:
        self._session = session
        self._focus = focus
        self._shown = shown
        self._pane = shown.variables
        self._watches = WatchView(session, shown.variables)
        self.inline_values = InlineValues(shown.source)

    def show_nothing(self, why: str) -> None:
        """Show why there are no variables."""
        self.inline_values.clear()
        self._pane.show_nothing(f"No variables: {why}")

    def show_frame(self, frame: Frame) -> None:
        """Fetch the variables of a frame in the background, and show them."""
        self._shown.run_in_background("variables", self._fetch, frame)

    def refresh_in_background(self) -> None:
        """Fetch them again in the background: a value in the program was set."""
        self._shown.run_in_background("variables", self.refresh)

    async def refresh(self) -> None:
        """Fetch the variables again: an evaluation may have changed them."""
        if self._focus.frame is not None:
            self._shown.note_state()
            await self._fetch(self._focus.frame)

    async def _fetch(self, frame: Frame) -> None:
        call, known = self._focus.call_of(frame), list[tuple[VariableNode, ...]]()
        wanted = self._pane.wanted(call.function)
        fetching = asyncio.create_task(self._session.values.look(frame.id, wanted, known.append))
        self._watches.begin(frame.id, wanted)
        shown = 0
        try:
            while not fetching.done():
                await asyncio.wait({fetching}, timeout=FETCHING_AFTER)
                if not fetching.done() and len(known) > shown:
                    self._show(call, known[-1])  # a slow value: show the rest meanwhile
                    shown = len(known)
            roots = await fetching
            are_there = await self._watches.soon()
        except StaleReply:
            return
        except DebuggerError as error:
            self._pane.show_nothing(str(error))
            return
        finally:
            fetching.cancel()
        self._show(call, roots)
        if not are_there:
            await self._watches.finish()

    def refresh_watches(self, asked: int | None = None) -> None:
        """Evaluate the watches again; ``asked`` is the number of one requested by the user."""
        if self._focus.frame is not None:
            self._shown.run_in_background("watches", self._fetch_watches, self._focus.frame, asked)

    async def _fetch_watches(self, frame: Frame, asked: int | None) -> None:
        self._watches.begin(frame.id, self._pane.wanted(self._focus.call_of(frame).function), asked)
        await self._watches.finish()

    def _show(self, call: CallIdentity, roots: Sequence[VariableNode]) -> None:
        self._pane.show_variables(call, roots, stop_id=self._session.stop_id)
        self._show_inline_values(call, roots)

    def _show_inline_values(self, call: CallIdentity, roots: Sequence[VariableNode]) -> None:
        frame, stop = self._focus.frame, self._session.stop
        scope = next((root for root in roots if root.is_scope and root.children is not None), None)
        if frame is None or stop is None or scope is None or scope.children is None:
            self.inline_values.clear()
        else:
            variables = [node.variable for node in scope.children]
            self.inline_values.show(frame, variables, call, stop)

    async def fetch_children(
        self, path: Path, reference: int, wanted: ChildrenRequest | None = None
    ) -> None:
        """Fetch the children of an opened node, or another page of them."""
        call = self._pane.call
        children, start, total = await self._session.values.children(reference, wanted)
        if self._pane.call == call:  # else another frame has been selected meanwhile
            self._pane.set_children(path, children, start, total)
