"""Pictures of watches, of values behind the lines and of a name looked at, at three sizes."""

from __future__ import annotations

import pytest

from tests.support.pictures import NAMES, SIZES, Pictures, Scene, Size, Stage

pytestmark = pytest.mark.full

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
    size: Size,
    pictures: Pictures,
) -> None:
    pictures.compare_scene(scene, size)
