"""The texts that were looked for last: in the panes, in the files, in the variables."""

from __future__ import annotations

from dataclasses import dataclass

from tuidbg.tui.variables.search import VariableSearch


@dataclass
class Searched:
    """The searches of one session, each to be gone on with."""

    text: str = ""
    """The one that a person searched last, in whatever pane: a key goes on with it."""
    files: str = ""
    variables: VariableSearch | None = None
