"""Pictures of the dialogs that launch and attach, and of what launch.json offers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from textual.pilot import Pilot

from tests.support.pictures import NAMES, SIZES, Pictures, Size
from tests.tui.launching.test_launching import ATTACHED, LAUNCH, fill
from tuidbg.config.environments import Environment
from tuidbg.config.launch_json.file import read_launch_file
from tuidbg.config.launch_json.workspace import Workspace
from tuidbg.config.stores.remembered import RecentProgram
from tuidbg.tui.app.app import TuidbgApp
from tuidbg.tui.app.launching.attach import AttachDialog
from tuidbg.tui.app.launching.configurations import (
    AgreementDialog,
    ConfigurationsDialog,
    OptionsDialog,
    QuestionDialog,
)
from tuidbg.tui.app.launching.launch import LaunchDialog

pytestmark = pytest.mark.full

HOME = Path("/home/me/shop")
RECENT = (
    RecentProgram(kind="script", target=f"{HOME}/bake.py", args=("--fast", "a b"), cwd=str(HOME)),
    RecentProgram(kind="module", target="json.tool", args=("a.json",), cwd="/data"),
)


class Bench(TuidbgApp):
    """The app without a program, and a launch.json that lies at the same place everywhere."""

    def __init__(self, folder: Path) -> None:
        path = folder / "launch.json"
        path.write_text(LAUNCH)
        file = msgspec.structs.replace(
            read_launch_file(path), path=HOME / ".vscode" / "launch.json", folder=HOME
        )
        self.workspace = Workspace(file, cwd=HOME, interpreter="/usr/bin/python3")

        def refuse(words: list[str], cwd: str) -> Any:
            raise ValueError("nothing is opened here")

        super().__init__(open_session=refuse, cwd=str(HOME))


Scene = Callable[[Bench, Pilot[int]], Awaitable[None]]


async def configurations(app: Bench, pilot: Pilot[int]) -> None:
    await app.push_screen(ConfigurationsDialog(app.workspace))
    await pilot.press("down", "down")


async def unsupported(app: Bench, pilot: Pilot[int]) -> None:
    await app.push_screen(ConfigurationsDialog(app.workspace))
    await pilot.press(*"nat")


async def agreement(app: Bench, pilot: Pilot[int]) -> None:
    path = str(app.workspace.file.path)
    await app.push_screen(AgreementDialog("Both", path, app.workspace.preview("Both")))


async def options(app: Bench, pilot: Pilot[int]) -> None:
    from tuidbg.config.launch_json.variables import VariableQuestion

    choices = (("s", "Small"), ("m", "Medium"), ("l", "Large"))
    question = VariableQuestion(
        id="x", kind="choice", text="Which size?", default="m", options=choices
    )
    await app.push_screen(OptionsDialog(question))


async def question(app: Bench, pilot: Pilot[int]) -> None:
    from tuidbg.config.launch_json.variables import VariableQuestion

    asked = VariableQuestion(id="file", kind="file", text="Value for ${file}")
    await app.push_screen(QuestionDialog(asked, str(HOME)))
    await pilot.press(*"nowhere.py", "enter")


async def launch(app: Bench, pilot: Pilot[int]) -> None:
    await app.push_screen(LaunchDialog(RECENT, app.workspace, "/"))
    await pilot.press(*"-m shop.main", "down", *"--port 8000")


async def wrong_launch(app: Bench, pilot: Pilot[int]) -> None:
    dialog = LaunchDialog(RECENT, None, "/")
    await app.push_screen(dialog)
    fill(dialog, program="bake.py", env="A", python="/nowhere")
    await pilot.press("enter")


async def attach(app: Bench, pilot: Pilot[int]) -> None:
    await app.push_screen(AttachDialog(ATTACHED, app.workspace, str(HOME)))
    await pilot.press(*"5678")


SCENES: dict[str, Scene] = {
    "configurations": configurations,
    "unsupported": unsupported,
    "agreement": agreement,
    "options": options,
    "question": question,
    "launch": launch,
    "wrong-launch": wrong_launch,
    "attach": attach,
}


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_launching(
    scene: Scene,
    size: Size,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pictures: Pictures,
) -> None:
    for module in ("launch", "attach"):
        name = f"tuidbg.tui.app.launching.{module}.find_environment"
        monkeypatch.setattr(name, lambda folder: Environment("/home/me/shop/.venv/bin/python"))
    app = Bench(tmp_path)

    async def act(pilot: Pilot[int]) -> None:
        await pilot.pause()
        await scene(app, pilot)
        await pilot.pause()

    pictures.compare(app, size, act)
