"""The stops of the history and the recorded moments are one timeline."""

from __future__ import annotations

from tuidbg.recording.timeline import Moment
from tuidbg.session.recording.queries import spot_of
from tuidbg.tui.context import Context
from tuidbg.tui.past.rows import place_of
from tuidbg.tui.widgets.rows import Row, visible


def moment_of(ui: Context, number: int) -> Moment | None:
    """The recorded moment of a stop; None where that was not recorded."""
    if ui.session.past.is_empty:
        return None
    return ui.session.past.stops.moment_of(number)


def here_row(ui: Context, key: str) -> tuple[int | None, Row] | None:
    """A row for the moment that is looked at, and the number of the stop behind it.

    None at the present.
    """
    moment = ui.view.past.moment
    if moment is None:
        return None
    past = ui.session.past
    spot = spot_of(past.timeline, moment)
    pieces = (
        ("◀ here ", "changed"),
        (place_of(spot), "name"),
        (f" {visible(spot.function)}", "name"),
        (f"  recorded, {spot.steps_ago}", "faint"),
    )
    return past.stops.first_behind(moment), Row(key, pieces)
