"""The console's prompt: what was typed earlier, and one answer after the other."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tuidbg.config.stores.console_history import ConsoleHistory


class Prompting:
    """The prompt of one session."""

    def __init__(self) -> None:
        self.history: ConsoleHistory | None = None
        """Holds what was typed in earlier runs; read when the prompt is first used."""
        self.evaluating = asyncio.Lock()
        """Held by what is being worked out."""
        self.saving = asyncio.Lock()
        """Held while the history is written."""
