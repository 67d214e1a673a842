"""The breakpoints of a session in their pane, the source gutter and the disassembly."""

from __future__ import annotations

from collections.abc import Iterable

from tuidbg.session.core.session import Session
from tuidbg.session.model.state import Breakpoint, Status
from tuidbg.tui.panes.breakpoints.breakpoint_texts import explain_refusal, full_name_of
from tuidbg.tui.panes.view.shown import PaneHost
from tuidbg.tui.panes.view.source import SourceView


class BreakpointsView:
    """The breakpoints in the pane, the gutter and the disassembly."""

    def __init__(self, session: Session, source: SourceView, shown: PaneHost) -> None:
        self._session = session
        self._source = source
        self._shown = shown

    def show(self) -> None:
        stop = self._session.stop
        hit = stop.hit_breakpoints if stop and self._session.status is Status.PAUSED else ()
        pane, found = self._shown.breakpoints, list(self._session.breakpoints.registry)
        is_muted = self._session.breakpoints.muted
        pane.show_breakpoints(found, hit, self._source.shown_path, is_muted=is_muted)
        self._shown.show_count("breakpoints", len(found))
        self._source.show_marks()
        self._shown.code.mark()
        self._source.show_title()

    def tell_refusals(self, changed: Iterable[Breakpoint]) -> None:
        """Report why some of these can't be set at their place."""
        for each in changed:
            if why := explain_refusal(each):
                self._shown.status.show_hint(f"{full_name_of(each)}: {why}", "warning")
