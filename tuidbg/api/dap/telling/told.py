"""The client as those see it who tell it something."""

from __future__ import annotations

from typing import Protocol

from tuidbg.api.dap.arguments import InitializeArguments
from tuidbg.api.dap.references import References
from tuidbg.api.dap.wire import Wire
from tuidbg.api.gate.caller import Caller
from tuidbg.session.hub import Hub


class Told(Protocol):
    """Somebody who is told what happens."""

    wire: Wire
    caller: Caller
    traits: InitializeArguments
    references: References

    @property
    def hub(self) -> Hub:
        """All sessions there are."""

    def line_out(self, line: int) -> int:
        """A line as the client counts them."""

    def column_out(self, column: int) -> int:
        """A column as the client counts them."""

    def path_out(self, path: str) -> str:
        """A path as the client names files."""
