"""Pictures of the themes for everyone, and of the dialogs around the source and the keys."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.support.pictures import NAMES, SIZES, Pictures, Size, Stage, stop_in_loop
from tests.support.sessions import until
from tuidbg.session.core.sources.definitions import Definition
from tuidbg.session.core.sources.name_scopes import DefinitionKind
from tuidbg.session.core.sources.program_facts import LoadedModule, ModuleKind
from tuidbg.tui.features.find import commands as definition
from tuidbg.tui.features.find.dialog import FindDialog, ModulesDialog
from tuidbg.tui.toolkit.theme.theme import register_themes

pytestmark = [pytest.mark.real, pytest.mark.full]

Scene = Callable[[Stage], Awaitable[None]]

MODULES = [
    LoadedModule("__main__", "/demo/parcels.py", ModuleKind.SOURCE),
    LoadedModule("_json", "/usr/lib/python3/_json.so", ModuleKind.EXTENSION),
    LoadedModule("json", "/usr/lib/python3/json/__init__.py", ModuleKind.SOURCE, "2.0.9"),
    LoadedModule("json.decoder", "/usr/lib/python3/json/decoder.py", ModuleKind.SOURCE),
    LoadedModule("stamps", "/demo/stamps/__init__.py", ModuleKind.SOURCE, "1.4"),
    LoadedModule("sys", "", ModuleKind.BUILTIN),
]


def themed(name: str) -> Scene:
    async def scene(stage: Stage) -> None:
        register_themes(stage.app)
        stage.app.theme = f"tuidbg-{name}"
        await stop_in_loop(stage)
        await stage.press("2")

    return scene


async def find(stage: Stage) -> None:
    await stop_in_loop(stage)
    folder = stage.source.parent / "post-office"
    folder.mkdir()
    (folder / "parcels.py").write_bytes(stage.source.read_bytes())
    dialog = FindDialog(folder, value="weight")
    await stage.app.push_screen(dialog)
    await until(lambda: " in " in str(dialog.query_one("#about").render()), "the search is over")
    await stage.press("down")


async def modules(stage: Stage) -> None:
    await stop_in_loop(stage)
    dialog = ModulesDialog(MODULES, lambda path: path.startswith("/usr"), lambda path: path)
    await stage.app.push_screen(dialog)
    await stage.press("down")


async def definitions(stage: Stage) -> None:
    await stop_in_loop(stage)
    path = str(stage.source)
    found = [
        Definition("send", path, 26, DefinitionKind.FUNCTION),
        Definition("Parcel", path, 6, DefinitionKind.CLASS),
        Definition("stamps.red", "/demo/stamps/__init__.py", 120, DefinitionKind.FUNCTION),
    ]
    definition._choose_definition(stage.screen, found)
    await stage.settle()


async def key_maps(stage: Stage) -> None:
    await stop_in_loop(stage)
    await stage.press("f7", "down", "down")


async def typed(stage: Stage) -> None:
    await stop_in_loop(stage)
    await stage.press("semicolon", *"resta")


async def vim_help(stage: Stage) -> None:
    stage.app.set_key_map("vim")
    await stage.press("question_mark")


async def vscode(stage: Stage) -> None:
    await stop_in_loop(stage)
    stage.app.set_key_map("vscode")
    await stage.settle()


SCENES: dict[str, Scene] = {
    "high-contrast": themed("high-contrast"),
    "ansi": themed("ansi"),
    "find": find,
    "modules": modules,
    "definitions": definitions,
    "key-maps": key_maps,
    "typed": typed,
    "vim-help": vim_help,
    "vscode": vscode,
}


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_choices(
    scene: Scene,
    size: Size,
    pictures: Pictures,
) -> None:
    pictures.compare_scene(scene, size)
