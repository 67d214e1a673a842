"""Tells a client what the program and the debugger write: in pieces that belong together."""

from __future__ import annotations

import asyncio
import codecs
from typing import TYPE_CHECKING

from tuidbg.api.dap.telling.told import Told
from tuidbg.api.operations.views import shown_to, view_output
from tuidbg.session.output.stream import Piece
from tuidbg.session.state import OutputLine, Place

if TYPE_CHECKING:
    from tuidbg.session.session import Session

TOLD_BEFORE = 500
"""Lines of output that one who comes late is told."""

_SOON = 0.005
"""Seconds that a piece waits for the next one."""

_LARGEST = 1 << 16
"""Characters of one event, about."""

_CATEGORIES = {
    "stdout": "stdout",
    "stderr": "stderr",
    "terminal": "stdout",
    "console": "console",
    "important": "important",
}


class OutputTeller:
    """Follows one session's output for one client."""

    def __init__(self, client: Told, session: Session) -> None:
        self._client = client
        self._session = session
        self._category = ""
        self._place: Place | None = None
        self._is_secret = False
        self._texts: list[str] = []
        self._size = 0
        self._timer: asyncio.TimerHandle | None = None
        self._left_out = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        session.output_stream.pieces.add(self._take)

    def close(self) -> None:
        """Tell nothing more."""
        self._session.output_stream.pieces.remove(self._take)
        if self._timer is not None:
            self._timer.cancel()

    def _take(self, piece: Piece) -> None:
        category = _CATEGORIES.get(piece.category)
        if category is None:
            return
        text = piece.text
        if isinstance(text, bytes):
            text = self._decoder.decode(text)
        if piece.category == "terminal":
            text = text.replace("\r\n", "\n")
        is_secret = piece.is_secret
        if (category, piece.place, is_secret) != (self._category, self._place, self._is_secret):
            self.flush()
            self._category, self._place, self._is_secret = category, piece.place, is_secret
        self._texts.append(text)
        self._size += len(text)
        if self._size > _LARGEST:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_SOON, self.flush)

    def flush(self) -> None:
        """Tell at once what waits; whatever is told next comes behind it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._texts:
            return
        text = "".join(self._texts)
        self._texts.clear()
        self._size = 0
        if self._client.wire.is_full:
            self._left_out += len(text)
            return
        self.tell_left_out()
        self._tell(self._category, text, self._place, is_secret=self._is_secret)

    def tell_left_out(self) -> None:
        """Tell how much the client has missed, if it has."""
        if self._left_out:
            self._tell("important", f"({self._left_out} characters were left out here)\n", None)
            self._left_out = 0

    def _tell(
        self,
        category: str,
        text: str,
        place: Place | None,
        group: str = "",
        *,
        is_secret: bool = False,
    ) -> None:
        with shown_to(self._client.caller):
            shown = view_output(text, is_secret=is_secret)
        body: dict[str, object] = {"category": category, "output": shown}
        if group:
            body["group"] = group
        if place is not None:
            body["source"] = {"path": self._client.path_out(place.path)}
            body["line"] = self._client.line_out(place.line)
        self._client.wire.event("output", body)

    def tell_before(self) -> None:
        """Tell the lines that were written before it came, as a group."""
        output = self._session.output
        first = max(output.first_number, output.last_number - TOLD_BEFORE + 1)
        lines = [output.line(number) for number in range(first, output.last_number + 1)]
        told = [line for line in lines if line.category in _CATEGORIES]
        if not told:
            return
        self._tell("console", "Output so far\n", None, "start")
        for line in told:
            self._tell_line(line)
        self._tell("console", "", None, "end")

    def _tell_line(self, line: OutputLine) -> None:
        text = line.text + "\n" * line.complete
        self._tell(_CATEGORIES[line.category], text, None, is_secret=line.is_secret)
