"""Pictures of the autopsy, at the sizes that people have."""

from __future__ import annotations

import pytest

from tests.support.autopsies import MadeAutopsy
from tests.support.pictures import NAMES, SIZES, Pictures, Size, Stage

pytestmark = pytest.mark.full


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize(
    "keys", [(), ("up", "up", "home"), ("down",)], ids=["frame", "part", "main"]
)
def test_autopsy(
    keys: tuple[str, ...],
    size: Size,
    pictures: Pictures,
) -> None:
    async def autopsy(stage: Stage) -> None:
        MadeAutopsy.put_into(stage.session, str(stage.source))
        await stage.go_to_exception()
        await stage.pilot.press("e")
        await stage.until_dialog()
        await stage.pilot.press(*keys)
        await stage.pilot.pause()

    pictures.compare_scene(autopsy, size)
