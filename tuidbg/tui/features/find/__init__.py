"""Search for text, definitions and modules."""

from __future__ import annotations

from tuidbg.tui.features.find import commands as find
from tuidbg.tui.panes import searching
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import PAUSED, ScreenHooks
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("search", ("slash",), "Search in the pane; filter the trace", "Source",
            searching.search, "search"),
    Command("search_next", ("f3",), "Next match", "Source", searching.search_next,
            "next match"),
    Command("search_previous", ("shift+f3",), "Previous match", "Source",
            searching.search_previous),
    Command("find_in_files", ("ctrl+f",), "Find in the project's files", "Source", find.find_again,
            "find"),
    Command("go_to_definition", ("G",), "Go to the definition of a name", "Source",
            find.go_to_definition),
    Command("show_modules", ("M",), "Program modules", "Source", find.show_modules,
            statuses=PAUSED, obstacle=find.why_no_modules),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
