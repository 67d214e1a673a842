"""The texts that were looked for last: in the source, in the files, in the variables."""

from __future__ import annotations

from dataclasses import dataclass

from tuidbg.tui.variables.search import VariableSearch


@dataclass
class Searched:
    """The searches of one session, each to be gone on with."""

    source: str = ""
    files: str = ""
    variables: VariableSearch | None = None
