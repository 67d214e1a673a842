"""Pictures of the machine code and of the memory, at the sizes people have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.machine import make_native, stand_at
from tests.support.pictures import NAMES, SIZES, Pictures, Size, Stage
from tests.support.sessions import until
from tuidbg.session.model.state import Breakpoint, BreakpointKind, BreakpointStatus


async def code(stage: Stage) -> None:
    """In a function, with a breakpoint at an instruction and one at a line."""
    session = stage.session
    session.breakpoints.publish(
        Breakpoint(
            number=1, kind=BreakpointKind.ADDRESS, address=0x401167, status=BreakpointStatus.SET
        ),
        origin="tui",
    )
    path = str(Path(stage.source).parent / "add.c")
    session.breakpoints.publish(
        Breakpoint(number=2, path=path, line=10, status=BreakpointStatus.SET), origin="tui"
    )
    stand_at(session, 0x401160, name="main")
    await until(lambda: stage.screen.view.frame is not None and stage.screen.view.frame.address)
    await stage.press("alt+d")


async def no_source(stage: Stage) -> None:
    """Where there is no source, the machine code comes by itself."""
    stand_at(stage.session, 0x40112A, name="add", place=None)
    await until(lambda: stage.screen.shows_code)
    await stage.settle()


async def memory(stage: Stage) -> None:
    """Bytes that changed at a step, and one that is typed over."""
    _, bytes_ = make_native(stage.session, Path(stage.source).parent)
    await stage.press("alt+m", "right", "right")
    bytes_.bytes[8:11] = b"A s"
    await stage.go("n")
    await stage.press("down", "r", "4")


SCENES = {"code": code, "no-source": no_source, "memory": memory}


@pytest.mark.sampled
@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize("scene", SCENES)
def test_native(
    scene: str,
    size: Size,
    pictures: Pictures,
) -> None:
    async def native(stage: Stage) -> None:
        make_native(stage.session, Path(stage.source).parent)
        await SCENES[scene](stage)

    pictures.compare_scene(native, size)
