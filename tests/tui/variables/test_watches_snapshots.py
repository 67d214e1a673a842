"""Pictures of watches, of values behind the lines and of a name looked at, at three sizes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from tests.tui.test_snapshots import NAMES, SIZES, Scene, Stage, same_everywhere, stages

pytestmark = pytest.mark.real

__all__ = ["same_everywhere", "stages"]

LINE = 21  # in the loop of `stamp`


async def at_work(stage: Stage) -> None:
    """In the inner loop, with all sorts of watches: values, lists, errors, one of another frame."""
    watches = stage.session.watches
    await stage.session.breakpoints.set(stage.session.plan.target, LINE, origin="tui")
    await stage.go("c")
    for expression in ("price - paid", "parcel.stamps", "1/0", "[paid, value]"):
        watches.add(expression, origin="tui")
    watches.add("total", pinned=True, origin="tui")
    await stage.settle()


async def watched(stage: Stage) -> None:
    await at_work(stage)
    await stage.go("c")
    await stage.press("2", "home", "down", "down")
    stage.screen.variables.move_cursor_to(("Watches", "[paid, value]"))
    await stage.press("enter")


async def add(stage: Stage) -> None:
    await at_work(stage)
    assert stage.pilot is not None
    await stage.pilot.press("w", *"price +")
    await stage.pilot.pause()


async def pointed(stage: Stage) -> None:
    """The third name of the line, and its value in the status line."""
    await at_work(stage)
    await stage.press("1", "i", "i", "i")


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize("scene", [watched, add, pointed], ids=lambda scene: scene.__name__)
def test_picture(
    scene: Scene,
    size: tuple[int, int],
    snap_compare: Callable[..., bool],
    stages: Callable[..., Stage],
) -> None:
    stage = stages()

    async def run_before(pilot: Pilot[int]) -> None:
        await stage.start(pilot)
        await scene(stage)

    assert snap_compare(stage.app, run_before=run_before, terminal_size=size)
