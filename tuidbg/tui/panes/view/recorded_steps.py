"""The recorded moment on the screen, as the commands of several features need it."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from tuidbg.recording.stepping import StepDirection
from tuidbg.recording.timeline import Moment
from tuidbg.session.features.recording import run_of
from tuidbg.session.features.recording.queries import (
    MomentPlace,
    spot_of,
)
from tuidbg.session.features.recording.reverse_execution import (
    past_of,
)
from tuidbg.session.model.state import Status
from tuidbg.tui.toolkit.widgets.rows import ListRow, visible

if TYPE_CHECKING:
    from tuidbg.tui.panes.context import Context


def why_no_past(ui: Context) -> str:
    """Return why there is no recorded past."""
    past = past_of(ui.session)
    is_there = past is not None and (past.is_on or not past.is_empty)
    problem = past.timeline.problem if past is not None else ""
    return "" if is_there else problem or "nothing is recorded"


def is_in_past(ui: Context) -> bool:
    """Return whether a recorded moment is selected: then steps go on in the recording."""
    return ui.view.past.moment is not None


def go_forth(ui: Context, way: StepDirection) -> None:
    """Step forward in the recording; its end leads to the present."""
    moment = ui.view.past.moment
    assert moment is not None
    found = run_of(ui.session).forth(moment, way)
    if found is None:
        ui.view.past.leave()
        can_step = ui.session.status is Status.PAUSED
        now = "this is now: the next step runs the program" if can_step else "this is now"
        is_opened = run_of(ui.session).opened is not None
        ui.status.show_hint("the recording ends here" if is_opened else now)
    else:
        ui.view.past.show(found)


def moment_of(ui: Context, number: int) -> Moment | None:
    """Return the recorded moment of a stop; None if it was not recorded."""
    if run_of(ui.session).is_empty:
        return None
    return run_of(ui.session).stops.moment_of(number)


def here_row(ui: Context, key: str) -> tuple[int | None, ListRow] | None:
    """Return a row for the selected moment, and the number of the stop after it.

    None at the present.
    """
    moment = ui.view.past.moment
    if moment is None:
        return None
    past = run_of(ui.session)
    spot = spot_of(past.timeline, moment)
    pieces = (
        ("◀ here ", "changed"),
        (place_of(spot), "name"),
        (f" {visible(spot.function)}", "name"),
        (f"  recorded, {spot.steps_ago}", "faint"),
    )
    return past.stops.first_behind(moment), ListRow(key, pieces)


def place_of(spot: MomentPlace) -> str:
    """Return file and line."""
    return visible(f"{PurePath(spot.path).name}:{spot.line}")


def is_alive(ui: Context) -> bool:
    """Return whether there is a program that can be lost."""
    return ui.session.status in (Status.RUNNING, Status.PAUSED)
