"""The README tells the truth of this commit: keys, options, marks, pictures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tuidbg.api.mcp.tool_sets import TOOL_SETS
from tuidbg.cli.main import _make_parser
from tuidbg.tui.keys.commands import COMMANDS
from tuidbg.tui.source.pane import GLYPHS, Mark

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_of_keys_is_the_table_of_commands() -> None:
    table = README.partition("### Keys")[2].partition("In the panes:")[0]
    rows = re.findall(r"^\| (`.+`) \| (.+) \|$", table, re.MULTILINE)
    shown = [(re.findall(r"`([^`]+)`", keys), title) for keys, title in rows]
    with_keys = [command for command in COMMANDS if command.keys]  # the palette has the others
    assert shown == [(command.shown_keys.split(", "), command.title) for command in with_keys]


def test_every_option_is_in_the_readme() -> None:
    options = {name for action in _make_parser()._actions for name in action.option_strings}
    undocumented = {name for name in options if f"{name}" not in README}
    assert undocumented <= {"-h", "--help", "--version"}


def test_every_mark_is_in_the_readme() -> None:
    table = README.partition("### Marks")[2].partition("## How fast")[0]
    assert {GLYPHS[mark] for mark in Mark} <= set(re.findall(r"`(.)`", table))


def test_the_pictures_are_there_and_hold_no_path_of_a_machine() -> None:
    pictures = re.findall(r"\]\((screenshots/[^)]+)\)", README)
    assert pictures
    for picture in pictures:
        text = (ROOT / picture).read_text(encoding="utf-8")
        assert "/home/" not in text
        assert str(ROOT) not in text
        assert "http" not in text.replace("http://www.w3.org/", "")


def test_the_two_commands_are_there() -> None:
    assert "pip install uv && uv run tuidbg demo" in README
    assert "pip install uv && uv run pytest" in README


@pytest.mark.parametrize(
    ("tool_set", "heading"),
    [("breakpoints", "### Agents (MCP)"), ("lldb", "### The tools of LLDB")],
)
def test_the_tables_of_tools_are_the_tools(tool_set: str, heading: str) -> None:
    table = README.partition(heading)[2].partition("\n##")[0]
    shown = re.findall(r"^\| `(\w+)` \| (.+) \| (\w+) \|$", table, re.MULTILINE)
    tools = TOOL_SETS[tool_set]
    assert shown == [(tool.name, tool.description, tool.scope.value) for tool in tools]
