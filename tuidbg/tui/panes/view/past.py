"""The selected recorded moment, shown in the panes of the present."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

from tuidbg.recording.timeline import Moment, RecordedFrame, Timeline
from tuidbg.session.core.session import Session
from tuidbg.session.features.recording import run_of
from tuidbg.session.features.recording.reverse_execution import past_of
from tuidbg.tui.panes.view.shown import ViewFocus


class ChangeQuery(NamedTuple):
    """A query for the change of ``expression`` in a call, before ``moment``."""

    expression: str
    frame: RecordedFrame
    moment: Moment


class PastView:
    """The view of moments of a session's recording."""

    def __init__(
        self,
        session: Session,
        focus: ViewFocus,
        select_frame: Callable[[int], None],
        show_present: Callable[[], None],
    ) -> None:
        """``show_present`` returns to the program's present stop."""
        self._session = session
        self._focus = focus
        self._select_frame = select_frame
        self.leave = show_present
        self.question: ChangeQuery | None = None
        """The last query, while its answer is shown."""
        self.conditions: list[str] = []
        """Conditions of earlier queries, newest last."""
        self.answer: Moment | None = None
        """The moment at which the last condition became true."""
        self.marked: Moment | None = None
        """The moment to compare others with; of the recording ``marked_in``."""
        self.marked_in: Timeline | None = None
        self.listed: list[Moment | None] = []
        """The targets of the rows of the console's last table."""
        self.seeking: asyncio.Task[Any] | None = None
        """The running query."""

    @property
    def moment(self) -> Moment | None:
        """The selected recorded moment; None: the present."""
        return self._focus.moment

    def show_opened(self) -> None:
        """Select the end of an opened recording if there is no program."""
        past = past_of(self._session)
        if past is not None and past.place is not None:
            self.show(past.place)

    def show(self, moment: Moment, frame: int = 0) -> None:
        """Show a moment: its source, stack and variables, at that frame."""
        frames = run_of(self._session).values.frames(moment)
        self._focus.take_stack(
            self._focus.thread_id,
            frames,
            len(frames),
            stop_id=self._session.stop_id,
            moment=moment,
        )
        self._select_frame(frame)

    def call_off(self) -> bool:
        """Cancel the running query; False if there is none."""
        seeking, self.seeking = self.seeking, None
        return seeking is not None and seeking.cancel()
