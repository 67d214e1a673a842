"""Private names of Textual: all are listed, and one that is gone is reported at the start."""

from __future__ import annotations

import ast
import runpy
import sys
import tomllib
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.keys import _character_to_key

from tests.support.screens import counting, debugger
from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.app.help.dialog import HelpDialog
from tuidbg.tui.toolkit import textual_private
from tuidbg.tui.toolkit.drivers import input as terminal_input
from tuidbg.tui.toolkit.drivers.input import TerminalInput
from tuidbg.tui.toolkit.keys.key_map import key_of_character
from tuidbg.tui.toolkit.textual_private import NAMES, TESTED, PlainKeys, describe_misfits
from tuidbg.tui.toolkit.widgets import safe_screens as lasting

PRIVATE = Path(textual_private.__file__)
ALL = [(purpose, name) for purpose, names in NAMES.items() for name in names]
STAND_INS = [name for _, name in ALL if "._" in name and name.count(".") == 1]


def _imported(path: Path) -> set[str]:
    """The private modules and functions of Textual that a module imports."""
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        for name in node.names if isinstance(node, ast.ImportFrom) else ():
            if module.startswith("textual") and ("._" in module or name.name.startswith("_")):
                found.add(f"{module}:{name.name}")
    return found


def test_private_names_are_imported_in_one_module_and_are_listed() -> None:
    paths = Path(textual_private.__file__).parent.rglob("*.py")
    imported = {path: names for path in paths if (names := _imported(path))}
    assert list(imported) == [PRIVATE]
    assert imported[PRIVATE] == set(STAND_INS) <= {name for _, name in ALL}


@pytest.mark.parametrize("name", STAND_INS)
def test_an_imported_name_that_is_gone_has_a_stand_in(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, _, attribute = name.partition(":")
    native = getattr(import_module(module), attribute)
    monkeypatch.delattr(import_module(module), attribute)
    found = runpy.run_path(str(PRIVATE))[attribute]
    assert found is not native and type(found) is type(native)
    monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, module, None)
    assert attribute in runpy.run_path(str(PRIVATE))


def test_keys_without_textuals_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(XTermParser, "_sequence_to_key_events")
    found = runpy.run_path(str(PRIVATE))
    assert found["XTermParser"] is found["PlainKeys"] and not found["READS_WHOLE_KEYS"]
    monkeypatch.setattr(terminal_input, "XTermParser", PlainKeys)
    monkeypatch.setattr(terminal_input, "ANSI_SEQUENCES_KEYS", {})
    typed = b"a?\x1bb \r\t\x7f\x10\x1b[A\x1b[<0;1;1M\x1b[99~B"
    keys = [m.key for m in TerminalInput().feed(typed) if isinstance(m, events.Key)]
    assert keys[:6] == ["a", "question_mark", "alt+b", "space", "enter", "tab"]
    assert keys[6:] == ["backspace", "ctrl+p", "up", "B"]


async def test_dialogs_without_textuals_context(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lasting, "active_message_pump", ContextVar("no_pump"))
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await bench.press("question_mark")
        assert isinstance(bench.app.screen, HelpDialog)
        await bench.press("escape")
        assert isinstance(bench.app.screen, DebugScreen)


def test_keys_have_textuals_names() -> None:
    characters = [chr(number) for number in range(0x20, 0x2FF)]
    names = [key_of_character(character) for character in characters]
    assert names == [_character_to_key(character) for character in characters]


def test_the_pin_is_the_version_that_is_tested() -> None:
    pyproject = tomllib.loads(Path("pyproject.toml").read_text())
    assert f"textual{TESTED}" in pyproject["project"]["dependencies"]


def test_all_names_exist() -> None:
    assert describe_misfits(App()) == ""


@pytest.mark.parametrize(("purpose", "name"), ALL, ids=[name for _, name in ALL])
def test_each_name_that_is_gone_is_told(
    purpose: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app: App[None] = App()
    module, _, path = name.partition(":")
    *owners, last = path.split(".")
    owner = app if module == "APP" else import_module(module)
    for each in owners:
        owner = getattr(owner, each)
    classes = type(owner).__mro__ if not isinstance(owner, type) else owner.__mro__
    for place in (owner, *classes):
        if last in vars(place):
            monkeypatch.delattr(place, last)
    told = describe_misfits(app)
    assert f"{purpose} (there is no {name.replace(':', '.')}" in told, told
    assert f'pip install "textual{TESTED}"' in told


async def test_the_person_is_told_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(textual_private, "NAMES", {"show panes": ("APP:_gone",)})
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        told = [each.message for each in bench.app._notifications]
        assert any("may fail to show panes (there is no APP._gone)" in each for each in told), told
