"""The words of a recorded moment in the status line."""

from __future__ import annotations

from pathlib import PurePath

from tuidbg.recording.segment import RAISE, RETURN, UNWIND, YIELD
from tuidbg.recording.timeline import Moment
from tuidbg.session.session import Session
from tuidbg.session.state import Frame
from tuidbg.tui.keys.key_map import KeyMap
from tuidbg.tui.widgets.rows import Piece, visible

_WORDS = {RETURN: "has returned", YIELD: "has yielded", RAISE: "raises", UNWIND: "is left"}


def describe_moment(
    session: Session, moment: Moment, frame: Frame | None, key_map: KeyMap
) -> list[Piece]:
    """Where and when it was, what happened there, and the way back to the present."""
    pieces: list[Piece] = []
    if frame is not None and frame.place is not None:
        place = f"{PurePath(frame.place.path).name}:{frame.place.line}"
        pieces += [(visible(place), "place"), (f" {visible(frame.name)}", "")]
    if word := _WORDS.get(moment.kind):
        pieces.append((f" {word}", "hint"))
    past, key = session.past, key_map.key_of("show_execution")
    there = "now"
    if past.place is not None:
        there = "the end" if past.place == past.last else "where it failed"
    way = f" · {key} is {there}" if key and moment != past.place else ""
    pieces.append((f"  {past.how_long_ago(moment)}{way}", "faint"))
    return pieces
