"""The recorded moment that a person looks at, in the panes that show the present else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

from tuidbg.recording.timeline import Moment, PastFrame, Timeline
from tuidbg.session.recording.reverse_execution import past_of
from tuidbg.session.session import Session
from tuidbg.tui.view.focus import Focus


class Question(NamedTuple):
    """Who changed ``expression``, as it stands in a call? It was asked up to ``moment``."""

    expression: str
    frame: PastFrame
    moment: Moment


class PastView:
    """Shows moments of a session's recording."""

    def __init__(
        self,
        session: Session,
        focus: Focus,
        select_frame: Callable[[int], None],
        show_present: Callable[[], None],
    ) -> None:
        """``show_present`` leads back to where the program stands now."""
        self._session = session
        self._focus = focus
        self._select_frame = select_frame
        self.leave = show_present
        self.question: Question | None = None
        """What was asked last, while its answer is looked at."""
        self.conditions: list[str] = []
        """The expressions that were asked when they became true, the newest last."""
        self.answer: Moment | None = None
        """Where the last of them became true."""
        self.marked: Moment | None = None
        """The moment that others are compared with; of the recording ``marked_in``."""
        self.marked_in: Timeline | None = None
        self.listed: list[Moment | None] = []
        """Where the rows of the last table in the console lead."""
        self.seeking: asyncio.Task[Any] | None = None
        """The question that is being worked out."""

    @property
    def moment(self) -> Moment | None:
        """The recorded moment that is looked at; None: the present."""
        return self._focus.moment

    def show_opened(self) -> None:
        """Where all there is is a recording that was opened, its end is what is looked at."""
        past = past_of(self._session)
        if past is not None and past.place is not None:
            self.show(past.place)

    def show(self, moment: Moment, frame: int = 0) -> None:
        """Look at a moment: its source, its stack, its variables; at that frame of it."""
        frames = self._session.past.values.frames(moment)
        self._focus.take_stack(
            self._focus.thread_id,
            frames,
            len(frames),
            stop_id=self._session.stop_id,
            moment=moment,
        )
        self._select_frame(frame)

    def call_off(self) -> bool:
        """Work out no question any more; False where none is."""
        seeking, self.seeking = self.seeking, None
        return seeking is not None and seeking.cancel()
