"""Pictures of tables of recorded moments, at the sizes that people have."""

from __future__ import annotations

import pytest

from tests.support.pictures import NAMES, SIZES, Pictures, Size, Stage
from tuidbg.recording.timeline import Moment
from tuidbg.session.features.recording.queries import (
    CallRow,
    Calls,
    ChangeRow,
    MomentPlace,
    ValueHistory,
)
from tuidbg.tui.features.recorded_run.dialog import (
    MomentsDialog,
    MomentTable,
    table_of_calls,
    table_of_changes,
)

pytestmark = pytest.mark.full


def spot(number: int, line: int) -> MomentPlace:
    moment = Moment(when=number, thread=0, frame=1, kind=0, line=line)
    return MomentPlace(moment, "/shop/parcels.py", line, "Cart.add", 2_000 - 60 * number)


def changes() -> MomentTable:
    rows = [
        ChangeRow(spot(n, 30), "cart.total", str(n * n), str((n + 1) ** 2), (n + 1.0) ** 2, n)
        for n in range(30)
    ]
    first = ChangeRow(None, "cart.total", "", "0", 0.0, 0)
    return table_of_changes(ValueHistory("cart.total", [first, *rows], is_cut=False), 17)


def calls() -> MomentTable:
    rows = []
    for n in range(12):
        end = spot(n, 31).moment if n < 11 else None
        arguments = (("self", f"Cart(items=[…], total={n * 12})"), ("price", str(n)))
        rows.append(CallRow(spot(n, 28), spot(n, 51), end, arguments, str(n * 12), n == 4))
    return table_of_calls(Calls("Cart.add", rows, 1_204), 7)


SCENES = {"changes": changes, "calls": calls}


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize("scene", SCENES)
def test_recorded_moments(scene: str, size: Size, pictures: Pictures) -> None:
    async def looked_at(stage: Stage) -> None:
        stage.screen.app.push_screen(MomentsDialog(SCENES[scene]()))
        await stage.until_dialog()
        await stage.pilot.pause()

    pictures.compare_scene(looked_at, size)
