"""The last search patterns: in the panes, in the files, in the variables."""

from __future__ import annotations

from dataclasses import dataclass

from tuidbg.tui.panes.variables.variables_search import VariableSearch


@dataclass
class Searched:
    """The searches of one session, each of which can be repeated."""

    text: str = ""
    """The last pattern in any pane; a key repeats it."""
    files: str = ""
    variables: VariableSearch | None = None
