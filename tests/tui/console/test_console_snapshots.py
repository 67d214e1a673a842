"""Pictures of the console's prompt and results, at the sizes that people have."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.support.pictures import NAMES, SIZES, Pictures, Size, Stage
from tuidbg.session.core.evaluation.prompt import Help
from tuidbg.tui.features.console.commands import help_text
from tuidbg.tui.panes.console.console_pane import ConsoleInput

pytestmark = pytest.mark.full

BLOCK = (
    "def heavy(parcels, limit=3.5):\n    # those that cost more\n    for p in parcels:\n        "
)
PAY = Help(
    type="function",
    signature="(amount: int = 1) -> int",
    doc="Give some away.\n\nWhat is left is the answer.",
    file="/home/ada/bank/account.py",
    line=10,
)


async def at_prompt(stage: Stage, *texts: str) -> ConsoleInput:
    """In the prompt of a stop, after these were evaluated."""
    await stage.session.breakpoints.set(str(stage.source), 22, origin="tui")
    await stage.go("c")
    await stage.press("colon")
    line = stage.screen.query_one(ConsoleInput)
    for text in texts:
        line.put(text)
        await stage.press("enter")
    return line


async def block(stage: Stage) -> None:
    """A function that is being typed, with a selected word."""
    line = await at_prompt(stage, "1 + 1")
    line.history.append("x" * 3)
    line.put(BLOCK + "print(p, 'kg')")
    await stage.press("ctrl+shift+left", "ctrl+shift+left")


async def names(stage: Stage) -> None:
    """Names to complete."""
    line = await at_prompt(stage)
    line.put("print(par")
    found = [f"parcel{n}" for n in range(9)] + ["parse", "_parked"]
    stage.screen.console.show_names(line.value, 6, found)
    await stage.press("down", "down")


async def search(stage: Stage) -> None:
    """A search in what was typed before."""
    line = await at_prompt(stage)
    line.history = ["parcels[0].weight", BLOCK.rstrip(), "x = 1", "sum(p.weight for p in parcels)"]
    await stage.press("ctrl+r", "w", "e", "i")


async def results(stage: Stage) -> None:
    """Results, one of them open, an error, and help."""
    await at_prompt(stage, "[1, [2, {'three': 'four'}], 'five']", "nope")
    stage.session.output.add("help", help_text("account.pay", PAY, source=False))
    await stage.press("escape", "5", "space", "down", "down", "space", "down")


async def busy(stage: Stage) -> None:
    """An evaluation that takes its time."""
    await at_prompt(stage)
    console = stage.screen.console
    console.set_busy(True, "slow_query(customers)")
    console._busy_since -= 12.3
    console._show_mode()
    if console._busy_timer is not None:
        console._busy_timer.stop()


SCENES: dict[str, Callable[[Stage], Awaitable[None]]] = {
    scene.__name__: scene for scene in (block, names, search, results, busy)
}


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize("scene", SCENES)
def test_console(
    scene: str,
    size: Size,
    pictures: Pictures,
) -> None:
    async def shown(stage: Stage) -> None:
        await SCENES[scene](stage)
        await stage.pilot.pause()

    pictures.compare_scene(shown, size)
