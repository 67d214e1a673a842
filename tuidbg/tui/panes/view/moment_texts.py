"""The status line of a recorded moment."""

from __future__ import annotations

from datetime import datetime
from pathlib import PurePath
from typing import TYPE_CHECKING

from tuidbg.recording.segment import RAISE, RETURN, UNWIND, YIELD
from tuidbg.recording.timeline import Moment
from tuidbg.recording.values import failure_at_end
from tuidbg.session.core.session import Session
from tuidbg.session.features.recording import run_of
from tuidbg.session.model.state import Frame
from tuidbg.tui.toolkit.keys.key_map import KeyMap
from tuidbg.tui.toolkit.widgets.rows import Piece, visible

if TYPE_CHECKING:
    from tuidbg.recording.segment import RecordedProgram
    from tuidbg.session.features.recording.recorded_run import RecordedRun

_WORDS = {
    RETURN: "has returned",
    YIELD: "has yielded",
    RAISE: "raises",
    UNWIND: "exits with the exception",
}


def describe_moment(
    session: Session, moment: Moment, frame: Frame | None, key_map: KeyMap
) -> list[Piece]:
    """Return time, place and event of a moment, and the key back to the present."""
    pieces: list[Piece] = []
    if frame is not None and frame.place is not None:
        place = f"{PurePath(frame.place.path).name}:{frame.place.line}"
        pieces += [(visible(place), "place"), (f" {visible(frame.name)}", "")]
    if word := _WORDS.get(moment.kind):
        pieces.append((f" {word}", "hint"))
    past, key = run_of(session), key_map.key_of("show_execution")
    way = f" · {key} jumps to {where_one_began(past)}" if key and moment != past.place else ""
    pieces.append((f"  {past.how_long_ago(moment)}{way}", "faint"))
    if past.opened is not None:
        pieces.append((f"  {visible(describe_program(past.opened), 80)}", "faint"))
        if failure := failure_at_end(past.timeline):
            pieces.append((f" · failed: {visible(failure, 40)}", "faint"))
    return pieces


def where_one_began(past: RecordedRun) -> str:
    """Return the target of the way back from a recorded moment."""
    if past.place is None:
        return "now"
    return "the end" if past.place == past.last else "where it failed"


def describe_program(program: RecordedProgram) -> str:
    """Return the program and time of an opened recording, in short."""
    scripts = [each for each in program.command if each.endswith(".py")]
    words = [PurePath(each).name for each in scripts[:1] or program.command[:1]]
    if program.at:
        words.append(f"{datetime.fromtimestamp(program.at):%Y-%m-%d %H:%M}")
    return " · ".join(words)
