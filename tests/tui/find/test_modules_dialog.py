"""The list of modules: filtered by typing, the source of one opened; and why there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.screens import debugger, screen_rows
from tests.tui.dialog_bench import OPEN, bench, text_of
from tests.tui.real_bench import real_debugger
from tuidbg.session.core.sources.program_facts import LoadedModule, ModuleKind
from tuidbg.tui.features.find.dialog import ModulesDialog, ModulesPane

MODULES = (
    LoadedModule("_json", "", ModuleKind.EXTENSION),
    LoadedModule("app", "/p/app.py", ModuleKind.SOURCE),
    LoadedModule("json", "/usr/lib/json/__init__.py", ModuleKind.SOURCE, "2.0.9"),
    LoadedModule("json.decoder", "/usr/lib/json/decoder.py", ModuleKind.SOURCE),
    LoadedModule("sys", "", ModuleKind.BUILTIN),
    LoadedModule("space[red]", "", ModuleKind.NAMESPACE),
    LoadedModule("ujson", "/usr/lib/ujson.py", ModuleKind.SOURCE),
)


def make() -> ModulesDialog:
    return ModulesDialog(MODULES, lambda path: path.startswith("/usr"), lambda path: path)


def names(dialog: ModulesDialog) -> list[object]:
    return [row.key for row in dialog.query_one(ModulesPane).rows]


async def test_own_modules_first_and_typing_filters() -> None:
    dialog = make()
    async with bench(dialog) as (app, pilot):
        assert names(dialog) == [
            *("app", "_json", "json", "json.decoder", "space[red]", "sys", "ujson")
        ]
        assert "json 2.0.9  /usr/lib/json" in "\n".join(screen_rows(app))
        assert "space[red]  a folder only" in "\n".join(screen_rows(app))
        await pilot.press(*"json")
        await pilot.pause()
        assert names(dialog) == ["json", "json.decoder", "_json", "ujson"]
        assert text_of(app, "#about") == "4 of 7"
        await pilot.press("down", "enter")
        await pilot.pause()
        assert app.answer == MODULES[3]


@pytest.mark.full
async def test_a_module_without_a_source_says_why() -> None:
    dialog = make()
    async with bench(dialog) as (app, pilot):
        await pilot.press(*"sys", "enter")
        await pilot.pause()
        assert app.answer is OPEN
        assert text_of(app, "#about") == "sys has no source: built in"
        await pilot.press("backspace", "backspace", "backspace", *"nothing", "enter")
        await pilot.pause()
        assert "No module of that name" in "\n".join(screen_rows(app))
        await pilot.press("escape")
        await pilot.pause()
        assert app.answer is None


@pytest.mark.full
@pytest.mark.real
async def test_the_source_of_a_module_is_opened(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("first = 1\nsecond = 2\n")
    program = "import helper\nimport json\nx = 1  #: here\n"
    async with real_debugger(tmp_path, program) as debugging:
        await debugging.press("M")
        await debugging.until(
            lambda: isinstance(debugging.app.screen, ModulesDialog), "the list of modules"
        )
        await debugging.press(*"helper", "enter")
        await debugging.until(
            lambda: debugging.screen.source_title.label == "helper.py", "its source"
        )
        await debugging.press("backspace")
        assert debugging.screen.source_title.label != "helper.py"


@pytest.mark.full
@pytest.mark.real
async def test_where_the_adapter_knows_none_it_is_said(tmp_path: Path) -> None:
    async with debugger(tmp_path) as debugging:
        await debugging.press("M")
        assert "this adapter knows no modules" in debugging.status
        assert debugging.screen.reasons["show_modules"] == "this adapter knows no modules"
