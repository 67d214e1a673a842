"""The memory of one session's program: its pane, what is read for it, where it has been.

The pane stands among the others and follows the stops; bytes that changed since the last one are
marked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.session.state import Status
from tuidbg.tui.surface import Surface
from tuidbg.tui.wording import NO_STOP

if TYPE_CHECKING:
    from tuidbg.session.native.memory import SeenMemory
    from tuidbg.tui.native.memory import MemoryPane

NAME = "memory"


class ProgramMemory:
    """Its pane, which is made when it is wanted, and what is read for it."""

    def __init__(self, ui: Surface) -> None:
        self._ui = ui
        self.shown: MemoryPane | None = None
        self._seen: SeenMemory | None = None
        self.jumps: list[int] = []
        """Addresses that were left."""
        self.wanted = b""
        """The bytes that were searched last."""
        self._hint = ""

    def ready(self) -> MemoryPane:
        """The pane, made when it is wanted."""
        if self.shown is None:
            from tuidbg.session.native.memory import SeenMemory
            from tuidbg.tui.native.memory import MemoryPane

            self._seen = SeenMemory()
            self.shown = pane = MemoryPane(id=NAME)
            self._ui.body.add_pane(pane)
        return self.shown

    @property
    def pane(self) -> MemoryPane | None:
        """The pane, where it has the keys."""
        pane = self.shown
        return pane if pane is not None and self._ui.focused is pane else None

    def go_to(self, address: int, *, leave: bool = True) -> None:
        """Show what is at an address."""
        pane = self.ready()
        if leave and pane.has_place:
            self.jumps.append(pane.address)
        pane.go_to(address)
        self.follow()

    def follow(self) -> None:
        """Read what is in sight, where the pane is shown."""
        pane, status = self.shown, self._ui.session.status
        if pane is None or not pane.display or not pane.has_place or not pane.size.height:
            return
        if status is Status.PAUSED:
            self._ui.run_in_background("memory-bytes", self._read, pane)
        elif status is not Status.RUNNING:
            pane.show_message(f"No memory: {NO_STOP[status]}")

    async def _read(self, pane: MemoryPane) -> None:
        address, size = pane.wanted
        block = await self._ui.session.native.memory.read(address, size)
        assert self._seen is not None
        changed = self._seen.note(block, self._ui.session.stop_id)
        pane.put(block, changed)
        self.show_title(pane)

    def show_title(self, pane: MemoryPane) -> None:
        """Say in the title above the pane where its cursor is, and what keys do."""
        title, before = self._ui.body.shared_title, self._hint
        if self._ui.body.bottom != NAME:
            if title.hint == before:
                title.hint = ""
            return
        if pane.is_typing:
            words = "hexadecimal digits · Enter writes them · Esc leaves them"
        else:
            keys = [self._ui.key_map.tell("go_to_line", "goes elsewhere")]
            if pane.has_place:
                writes = self._ui.key_map.tell("set_variable", "writes")
                keys = [f"{pane.address:#x}", "; Enter follows", writes, *keys]
            words = "".join(keys).replace("; ", " · ")
        self._hint = title.hint = words.removeprefix(" · ")
        title.hint_is_warning = pane.is_typing

    def refresh_title(self) -> None:
        """The cursor has moved, or somebody types."""
        if self.shown is not None:
            self.show_title(self.shown)

    def note_rearranged(self) -> None:
        """The pane may have come into sight, or have another size."""
        if self.shown is not None:
            self.show_title(self.shown)
            self.follow()
