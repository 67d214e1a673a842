"""The settings: their values and sources, how to set each, and the dialog that changes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from tests.support.screens import SIZES, Debugger, counting, debugger, screen_rows
from tuidbg.config.launch import LaunchPlan, TargetKind
from tuidbg.config.stores.remembered import Remembered
from tuidbg.tui.features.settings.dialog import SettingsDialog, SettingsPane
from tuidbg.tui.features.settings.found import (
    SETTINGS,
    Now,
    SettingRow,
    SettingsFile,
    find_settings,
)
from tuidbg.tui.panes.context import Begun
from tuidbg.tui.toolkit.theme.theme import DEFAULT_THEME
from tuidbg.tui.toolkit.widgets.pane_layout import Sizes

# Lines of files


def written(folder: Path, text: str) -> SettingsFile:
    file = folder / "config.toml"
    file.write_text(text)
    return SettingsFile(file)


def test_the_line_of_a_setting(tmp_path: Path) -> None:
    file = written(
        tmp_path, '# mine\ntheme = "light"\n\n[ "keys" ] # map\nmap="vim"\n[env]\nA = "1"'
    )
    names = ("theme", "keys.map", "keys", "env", "env.A", "console", "keys.theme", "map")
    assert [file.line_of(name) for name in names] == [2, 5, 4, 6, 7, 0, 0, 0]
    inline = written(tmp_path, 'env = {A = "1"}\nkeys.map = "vim"\n')
    assert (inline.line_of("keys.map"), inline.line_of("env"), inline.line_of("env.A")) == (2, 1, 1)


def test_the_place_for_a_setting(tmp_path: Path) -> None:
    new = SettingsFile(tmp_path / "config.toml")
    path = f"{tmp_path}/config.toml"
    assert new.how_to_set("theme", "x = 1") == f"Add x = 1 as line 1 of {path} (a new file)"
    file = written(tmp_path, 'theme = "light"\n[keys]\nmap = "vim"\n')
    assert file.how_to_set("theme", "theme = 1") == f"Change line 1 of {path}: theme = 1"
    # Behind the header of a table it would belong to that table.
    assert file.how_to_set("jinja", "jinja = 1") == f"Add jinja = 1 as line 2 of {path}"
    assert file.how_to_set("keys.quit", "q = 1") == f"Add q = 1 below line 2 of {path}, [keys]"
    told = file.how_to_set("adapters.lua.command", "c = 1")
    assert told == f"Add c = 1 under [adapters.lua] at the end of {path}"


# Values and sources


def now(folder: Path, plan: Mapping[str, object] | None = None, **changes: Any) -> Now:
    config, project = folder / "config", folder / "project"
    for each in (config, project):
        each.mkdir(exist_ok=True)
    wanted = {"cwd": str(project), "python": "python3", **(plan or {})}
    made = LaunchPlan(kind=TargetKind.SCRIPT, target=str(project / "a.py"), **wanted)  # type: ignore[arg-type]
    facts = Now(
        begun=Begun(DEFAULT_THEME, "default", None, {}),
        theme=DEFAULT_THEME,
        key_map="default",
        plan=made,
        is_first=True,
        just_my_code=made.just_my_code,
        has_own_layout=False,
        remembered=Remembered(),
        colors="truecolor",
        folder=project,
        config_folder=config,
        environment={"COLORTERM": "truecolor", "EDITOR": "vim -n"},
    )
    return facts._replace(**changes)


def found(facts: Now) -> dict[str, SettingRow]:
    return {each.setting.name: each for each in find_settings(facts)}


def told(settings: dict[str, SettingRow], *names: str) -> list[tuple[str, str]]:
    return [(settings[name].value, settings[name].source.word) for name in names]


def test_nothing_is_set(tmp_path: Path) -> None:
    settings = found(now(tmp_path))
    assert list(settings) == [each.name for each in SETTINGS]
    built_in = {each for each in settings if settings[each].source.word == "built in"}
    assert set(settings) - built_in == {"python", "colors", "editor"}
    assert told(settings, "theme", "console", "django", "keys") == [
        ("dark", "built in"),
        ("terminal", "built in"),
        ("false", "built in"),
        ("none", "built in"),
    ]
    assert told(settings, "colors", "editor") == [
        ("true colour", "environment"),
        ("vim -n", "environment"),
    ]
    assert settings["colors"].source.sentence == "COLORTERM=truecolor"
    assert settings["theme"].how == (
        f'Add theme = "light" as line 1 of {tmp_path}/config/config.toml (a new file);'
        " for one run: tuidbg --theme NAME"
    )


def test_each_value_has_the_source_that_set_it(tmp_path: Path) -> None:
    plan = {"jinja": True, "django": True, "stop_on_entry": False, "env": {"TOKEN": "secret"}}
    facts = now(tmp_path, {**plan, "sub_process": False, "cwd": str(tmp_path / "project" / "src")})
    (tmp_path / "project" / "src").mkdir()
    (tmp_path / "project" / "pyproject.toml").write_text(
        '[project]\nname = "x"\n[tool.tuidbg]\njinja = true\ncwd = "src"\n'
    )
    (tmp_path / "config" / "config.toml").write_text(
        'jinja = false\ndjango = true\n[env]\nTOKEN = "secret"\n'
        '[keys]\nmap = "vim"\nquit = ["Ctrl+Q"]\n[adapters.lua]\ncommand = ["lua-dap"]\n'
    )
    given = {"stop_on_entry": "--no-stop-on-entry"}
    begun = Begun(DEFAULT_THEME, "vim", None, given)
    settings = found(facts._replace(begun=begun, key_map="vim"))
    assert told(settings, "jinja", "django", "stop_on_entry", "sub_process", "keys.map") == [
        ("true", "pyproject.toml"),
        ("true", "config.toml"),
        ("false", "command line"),
        ("false", "launch"),
        ("vim", "config.toml"),
    ]
    config, project = tmp_path / "config" / "config.toml", tmp_path / "project" / "pyproject.toml"
    assert settings["jinja"].source.sentence == f"line 4 of {project}"
    assert settings["jinja"].how.startswith(f"Change line 4 of {project}: ")
    assert settings["django"].source.sentence == f"line 2 of {config}"
    assert settings["stop_on_entry"].source.sentence == "the command line: --no-stop-on-entry"
    assert told(settings, "keys.quit", "adapters", "cwd") == [
        ("Ctrl+Q", "config.toml"),
        ("lua", "config.toml"),
        (str(tmp_path / "project" / "src"), "pyproject.toml"),
    ]
    assert "keys" not in settings
    assert "secret" not in str(settings["env"]), "values of variables may be secrets"
    # The options of the command line were those of the first session.
    later = found(facts._replace(begun=begun, is_first=False))
    assert later["stop_on_entry"].source.word == "launch"


def test_what_is_chosen_is_remembered_unless_a_file_sets_another(tmp_path: Path) -> None:
    light, vim = "tuidbg-light", "vim"
    facts = now(tmp_path, theme=light, key_map=vim, just_my_code=False, has_own_layout=True)
    settings = found(facts)
    names = ("theme", "keys.map", "just_my_code", "layout")
    assert [settings[name].source.word for name in names] == [*["this run"] * 3, "remembered"]
    assert "remembered for the next one" in settings["theme"].source.sentence
    (tmp_path / "config" / "config.toml").write_text('theme = "dark"\n[keys]\nmap = "pdb"\n')
    settings = found(facts)
    for name in ("theme", "keys.map"):
        assert "config.toml sets another at the start" in settings[name].source.sentence
    remembered = Remembered(theme=light, key_map=vim, follow_stops=True)
    (tmp_path / "config" / "config.toml").unlink()
    begun = Begun(light, vim, None, {})
    settings = found(facts._replace(begun=begun, remembered=remembered))
    for name in ("theme", "keys.map", "follow_stops"):
        assert settings[name].source.word == "remembered"
        assert settings[name].source.sentence.endswith("remembered.json")


# The dialog


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    folder = tmp_path / "home" / "tuidbg"
    folder.mkdir(parents=True)
    return folder / "config.toml"


def dialog(bench: Debugger) -> SettingsDialog:
    assert isinstance(bench.app.screen, SettingsDialog)
    return bench.app.screen


def rows(bench: Debugger) -> list[list[str]]:
    pane = dialog(bench).query_one(SettingsPane)
    return [[text.strip() for text, _ in row.pieces] for row in pane.rows]


def details(bench: Debugger) -> str:
    return str(dialog(bench).query_one("#details", Static).render())


async def open_settings(bench: Debugger, *typed: str) -> None:
    await bench.press("shift+f8")
    await bench.until(lambda: isinstance(bench.app.screen, SettingsDialog) and bool(rows(bench)))
    await bench.press(*typed)


async def test_the_dialog_lists_filters_and_changes(tmp_path: Path, config: Path) -> None:
    config.write_text('theme = "light"\n')
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await open_settings(bench)
        assert ["theme", "dark", "built in"] in rows(bench)
        await bench.press(*"theme")
        assert [row[0] for row in rows(bench)] == ["theme"]
        assert "Colours of the screen." in details(bench)
        await bench.press("enter", "2")  # the list of themes
        await bench.until(lambda: ["theme", "light", "this run"] in rows(bench))
        assert bench.app.theme == bench.app.remembered.theme == "tuidbg-light"
        assert "config.toml sets another at the start" in details(bench)
        await bench.press(*["backspace"] * 5, *"console")
        assert "Add" not in details(bench)
        await bench.press("enter")
        assert 'Add console = "internal" as line 2 of' in details(bench)
        await bench.press("escape")
        assert bench.app.screen is bench.screen


async def test_switches_and_the_layout_change_at_once(tmp_path: Path, config: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await bench.press("greater_than_sign", "z")
        assert bench.screen.body.sizes != Sizes()
        await open_settings(bench, *"layout", "enter")
        await bench.until(lambda: ["layout", "built in", "built in"] in rows(bench))
        assert bench.screen.body.sizes == Sizes()
        assert bench.screen.body.maximised is None
        assert Sizes(**bench.app.remembered.sizes) == Sizes()
        await bench.press(*["backspace"] * 6, *"follow", "enter")
        await bench.until(lambda: ["follow_stops", "true", "remembered"] in rows(bench))
        assert bench.app.remembered.follow_stops
        await bench.press("escape")


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
async def test_nothing_is_cut_in_any_size(
    size: tuple[int, int], tmp_path: Path, config: Path
) -> None:
    async with debugger(tmp_path, counting(tmp_path), size=size) as bench:
        await open_settings(bench)
        text = "\n".join(screen_rows(bench.app))
        for words in ("redirect_output", "built in", "Colours of the screen.", "Now: "):
            assert words in text
        assert [row for row in rows(bench) if row[0].endswith("…") or row[2].endswith("…")] == []
