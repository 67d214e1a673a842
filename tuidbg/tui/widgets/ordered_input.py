"""An input line that takes all keys in their order.

Textual takes characters at once but runs a key's binding only after the key has bubbled up to the
app: typed fast, or in one packet over SSH, a backspace would come after what was typed behind it.
"""

from __future__ import annotations

from textual import events
from textual.binding import Binding
from textual.reactive import reactive
from textual.widgets import Input

LONGEST = 10_000
"""Characters of a line that can be pasted: with more of them each key would take a while."""

_ACTIONS = {binding.key: binding.action for binding in Binding.make_bindings(Input.BINDINGS)}


class OrderedInput(Input):
    """Textual's input with its own bindings run in the turn of their keys."""

    cursor_blink = reactive(False, init=False)
    """Blinking would write to the terminal twice a second for as long as nobody types."""

    async def _on_key(self, event: events.Key) -> None:
        action = _ACTIONS.get(event.key)
        if action is not None:
            event.stop()
            event.prevent_default()
            await self.run_action(action)

    def _on_paste(self, event: events.Paste) -> None:
        """Before Textual's own, which puts the first line in."""
        event.text = event.text[:LONGEST].lstrip("\r\n")
