"""An input line that takes all keys in their order.

Textual runs a key's binding only after the key has bubbled up to the app and characters at once:
typed fast, or in one packet over SSH, a backspace or Enter would come after what was typed behind it.
"""

from __future__ import annotations

from textual import events
from textual.widgets import Input


class OrderedInput(Input):
    """Textual's input with its own bindings run in the turn of their keys."""

    async def _on_key(self, event: events.Key) -> None:
        bindings = self._bindings.key_to_bindings.get(event.key)
        if bindings and not event.is_printable:
            event.stop()
            event.prevent_default()
            await self.run_action(bindings[0].action)
