"""The stack and the values that come with a step's stop, for the questions that follow it.

A step asks for what was asked at the stop that it begins at; the program sends that in the
``stopped`` event (``debuggee/patches/step_details.py``), as far as it needs no code of its own.
Each part answers one request, of the same arguments; all others are sent as ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tuidbg.dap import types as dap
from tuidbg.dap.messages import decode_json
from tuidbg.session.core.stack.inspection import STACK_PAGE

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session

T = TypeVar("T")

FIELD = "tuidbg"
"""The argument of the step, and the field of the event."""


class _Asked(msgspec.Struct):
    """The questions of one stop, as the program is asked them."""

    stop_id: int = 0
    scopes: dict[str, Any] | None = None
    watches: tuple[list[str], dict[str, Any]] | None = None


class PushedDetails:
    """The details of the present stop, and the questions for those of the next."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._asked = _Asked()
        self._came_with = _Asked()
        self._stack: dap.StackTraceBody | None = None
        self._scopes = self._watches = ""

    # The next stop

    def request(self) -> dict[str, object]:
        """Return the further arguments of a step's request."""
        session, asked = self._session, self._questions
        if not session.inside.is_possible:
            return {}
        asks: dict[str, object] = {"levels": STACK_PAGE, "stop": session.stop_id + 1}
        if asked.scopes is not None:
            asks["scopes"] = asked.scopes
            if asked.watches is not None:
                asks["watches"] = asked.watches
        self._came_with = msgspec.structs.replace(asked, stop_id=session.stop_id + 1)
        return {FIELD: asks}

    @property
    def _questions(self) -> _Asked:
        if self._asked.stop_id != self._session.stop_id:
            self._asked = _Asked(self._session.stop_id)
        return self._asked

    def _is_top(self, frame_id: int) -> bool:
        frames = self._session.frames
        is_known = self._session.stack_of == self._session.stop_id
        return is_known and bool(frames) and frames[0].id == frame_id

    # This stop

    @property
    def _is_current(self) -> bool:
        return self._session.is_still and self._came_with.stop_id == self._session.stop_id

    def take(self, body: dap.StoppedBody) -> None:
        """Keep what has come with the event of the present stop."""
        details = body.tuidbg
        if details is None or self._came_with.stop_id != self._session.stop_id:
            self._stack, self._scopes, self._watches = None, "", ""
        else:
            self._stack, self._scopes = details.stack, details.scopes
            self._watches = details.watches

    def forget_values(self) -> None:
        """Drop the values, as a request may change them."""
        self._scopes = self._watches = ""

    def take_stack(self, thread_id: int, start: int, levels: int) -> dap.StackTraceBody | None:
        """Return the stack, if that is the part that has come."""
        stop = self._session.stop
        is_it = stop is not None and stop.thread_id == thread_id
        if not is_it or (start, levels) != (0, STACK_PAGE) or not self._is_current:
            return None
        found, self._stack = self._stack, None
        return found

    def take_scopes(self, frame_id: int, wanted: Mapping[str, Any], into: type[T]) -> T | None:
        """Return the answer to ``look`` in ``debuggee/values/values.py``, if it has come."""
        if not self._is_top(frame_id):
            return None
        self._questions.scopes = dict(wanted)
        found, self._scopes = self._scopes, ""
        return self._read(found, into, is_same=self._came_with.scopes == wanted)

    def take_watches(
        self, frame_id: int, expressions: list[str], wanted: Mapping[str, Any], into: type[T]
    ) -> T | None:
        """Return the answer to ``evaluate`` in ``debuggee/values/watches.py``, if it has come."""
        if not self._is_top(frame_id):
            return None
        question = (expressions, dict(wanted))
        self._questions.watches = question
        found, self._watches = self._watches, ""
        return self._read(found, into, is_same=self._came_with.watches == question)

    def _read(self, text: str, into: type[T], *, is_same: bool) -> T | None:
        if not text or not is_same or not self._is_current:
            return None
        try:
            return decode_json(text.encode(), into)
        except (msgspec.MsgspecError, ValueError):
            return None  # it is asked for, and that answer is checked
