"""Pictures of the autopsy, at the sizes that people have."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from tests.support.autopsies import MadeAutopsy
from tests.support.sessions import until
from tests.tui.test_snapshots import NAMES, SIZES, Stage, same_everywhere, stages

pytestmark = pytest.mark.real

__all__ = ["same_everywhere", "stages"]


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize(
    "keys", [(), ("up", "up", "home"), ("down",)], ids=["frame", "part", "main"]
)
def test_autopsy(
    keys: tuple[str, ...],
    size: tuple[int, int],
    stages: Callable[..., Stage],
    snap_compare: Callable[..., bool],
) -> None:
    stage = stages()

    async def act(pilot: Pilot[int]) -> None:
        await stage.start(pilot)
        MadeAutopsy.put_into(stage.session, str(stage.source))
        await stage.go("c")
        await until(lambda: stage.session.stop is not None and bool(stage.session.stop.exception))
        await stage.settle()
        await pilot.press("e")
        await until(lambda: len(stage.app.screen_stack) > 1)
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()

    assert snap_compare(stage.app, terminal_size=size, run_before=act)
