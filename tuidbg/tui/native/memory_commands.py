"""The commands of the memory pane: show what an expression means, follow pointers, write bytes.

The pane stands among the others and follows the stops; bytes that changed since the last one are
marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tuidbg.session.errors import DebuggerError
from tuidbg.session.session import Session
from tuidbg.session.state import Status, Variable
from tuidbg.tui.frame.layout import Sizes
from tuidbg.tui.pane_screen import PaneScreen
from tuidbg.tui.wording import NO_STOP

if TYPE_CHECKING:
    from tuidbg.session.native.memory import SeenMemory
    from tuidbg.tui.native.memory import MemoryPane

_NAME = "memory"
_POINTER = 8
"""Bytes of a pointer."""


class MemoryCommands(PaneScreen, is_part=True):
    """Adds the memory to the screen. Its pane is made when it is wanted."""

    def __init__(self, session: Session, *, sizes: Sizes | None = None) -> None:
        super().__init__(session, sizes=sizes)
        self.memory: MemoryPane | None = None
        self._seen: SeenMemory | None = None
        self._memory_jumps: list[int] = []
        self._found = b""
        self._memory_hint = ""

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why some commands make no sense now, besides the status of the session."""
        why = self.session.memory.why_not()
        return {**super().reasons, **({"show_memory": why} if why else {})}

    def ready_memory(self) -> MemoryPane:
        """The pane, made when it is wanted."""
        if self.memory is None:
            from tuidbg.session.native.memory import SeenMemory
            from tuidbg.tui.native.memory import MemoryPane

            self._seen = SeenMemory()
            self.memory = pane = MemoryPane(id=_NAME)
            self.body.add_pane(pane)
        return self.memory

    @property
    def memory_pane(self) -> MemoryPane | None:
        """The pane, where it has the keys."""
        pane = self.memory
        return pane if pane is not None and self.focused is pane else None

    # Showing it

    def command_show_memory(self) -> None:
        """That of the variable at the cursor, else as it was; the stack at first."""
        if why := self.session.memory.why_not():
            self.status.show_hint(f"Memory: {why}", "warning")
            return
        found = self.variables.cursor_variable if self.focused is self.variables else None
        pane = self.ready_memory()
        if found is not None:
            self.run_in_background("memory", self._show_variable, found[1])
        elif not pane.has_place:
            self.run_in_background("memory", self._go_to_memory, "$sp")
        else:
            self.follow_memory()
        self.focus_pane(_NAME)
        self._show_memory_title(pane)

    async def _show_variable(self, variable: Variable) -> None:
        frame = self.view.frame
        frame_id = frame.id if frame is not None else None
        self._jump_in_memory(await self.session.memory.address_of(variable, frame_id))

    def focus_pane(self, name: str) -> None:
        if name == _NAME:
            self.ready_memory()
        super().focus_pane(name)

    def ask_for_memory(self) -> None:
        """Ask for an address or an expression, and show the memory there."""
        from tuidbg.tui.dialogs.prompt import PromptDialog

        def take(text: str | None) -> None:
            if text and text.strip():
                self.run_in_background("memory", self._go_to_memory, text)

        hint = "an address or an expression"
        self.app.push_screen(PromptDialog("Memory at", hint=hint), take)

    async def _go_to_memory(self, text: str) -> None:
        frame = self.view.frame
        address = await self.session.memory.find(text, frame.id if frame is not None else None)
        self._jump_in_memory(address)

    def _jump_in_memory(self, address: int, *, leave: bool = True) -> None:
        pane = self.ready_memory()
        if leave and pane.has_place:
            self._memory_jumps.append(pane.address)
        pane.go_to(address)
        self.follow_memory()

    def follow_memory(self) -> None:
        """Read what is in sight, where the pane is shown."""
        pane, status = self.memory, self.session.status
        if pane is None or not pane.display or not pane.has_place or not pane.size.height:
            return
        if status is Status.PAUSED:
            self.run_in_background("memory-bytes", self._read_memory, pane)
        elif status is not Status.RUNNING:
            pane.show_message(f"No memory: {NO_STOP[status]}")

    def on_memory_pane_wanting(self) -> None:
        self.follow_memory()

    async def _read_memory(self, pane: MemoryPane) -> None:
        address, size = pane.wanted
        block = await self.session.memory.read(address, size)
        assert self._seen is not None
        changed = self._seen.note(block, self.session.stop_id)
        pane.put(block, changed)
        self._show_memory_title(pane)

    # Moving about

    def on_memory_pane_followed(self) -> None:
        self.run_in_background("memory", self._follow_pointer)

    async def _follow_pointer(self) -> None:
        if (pane := self.memory) is None or not pane.has_place:
            return
        data = (await self.session.memory.read(pane.address, _POINTER)).data
        target = int.from_bytes(data, "little")
        if len(data) < _POINTER or not (await self.session.memory.read(target, 1)).data:
            shown = f"{target:#x} is not" if len(data) == _POINTER else "this is not"
            self.status.show_hint(f"{shown} in the program's memory", "warning")
            return
        self._jump_in_memory(target)
        way = self.key_map.tell("go_back", "goes back")
        self.status.show_hint(f"this is {target:#x}{way}")

    def go_back_in_memory(self) -> None:
        """Back to where the last jump was made."""
        if self._memory_jumps:
            self._jump_in_memory(self._memory_jumps.pop(), leave=False)
        else:
            self.status.show_hint("there is nothing to go back to", "warning")

    def search_memory(self) -> None:
        """Ask for bytes or a text, and go to where it comes next."""
        from tuidbg.session.native.memory import read_pattern
        from tuidbg.tui.dialogs.prompt import PromptDialog

        def check(text: str) -> str:
            try:
                read_pattern(text)
            except DebuggerError as error:
                return str(error)
            return ""

        def take(text: str | None) -> None:
            if text:
                self._found = read_pattern(text)
                self.search_memory_again()

        hint = '"text" or bytes: 7f 45 4c'
        self.app.push_screen(PromptDialog("Find", hint=hint, on_submit=check), take)

    def search_memory_again(self) -> None:
        """Go to where it comes next, behind the cursor."""
        if not self._found:
            way = self.key_map.tell("search", "searches")
            self.status.show_hint(f"nothing has been searched here yet{way}", "warning")
        else:
            self.status.show_hint("searching…")
            self.run_in_background("memory", self._search_memory)

    async def _search_memory(self) -> None:
        if (pane := self.memory) is None:
            return
        found = await self.session.memory.search(pane.address + 1, self._found)
        if found is None:
            self.status.show_hint("not found from here to the end of this memory", "warning")
        else:
            self._jump_in_memory(found)
            self.status.show_hint(f"found at {found:#x}")

    # Writing

    def type_memory(self) -> None:
        """Type over the bytes from the cursor on."""
        if (pane := self.memory) is None or not pane.has_place:
            return
        if why := self.session.memory.why_no_writing():
            self.status.show_hint(f"Write to memory: {why}", "warning")
        elif pane.byte_at(pane.address) is None:
            self.status.show_hint("this byte can't even be read", "warning")
        else:
            pane.begin_typing()
            if self.body.tabs.display:  # there is no title for it then
                words = "digits replace bytes: Enter writes, Esc leaves"
                self.status.show_hint(f"hex {words}")

    def on_memory_pane_typed(self, event: MemoryPane.Typed) -> None:
        self.run_command(self._write_memory, event.address, event.data)

    async def _write_memory(self, address: int, data: bytes) -> None:
        written = await self.session.memory.write(address, data, origin="tui")
        way = self.key_map.tell("undo_change", "takes it back until the program goes on")
        count = "1 byte" if len(data) == 1 else f"{len(data)} bytes"
        self.status.show_hint(f"{count} at {written.address:#x} set{way}")

    async def undo_memory(self) -> None:
        """Bring back what was there before the last write."""
        undone = await self.session.memory.undo(origin="tui")
        if undone is None:
            self.status.show_hint("nothing was written at this stop", "warning")
        else:
            self.status.show_hint(f"{undone.address:#x} is as it was before")

    # Its title

    def on_memory_pane_moved(self) -> None:
        if self.memory is not None:
            self._show_memory_title(self.memory)

    def on_body_rearranged(self) -> None:
        if self.memory is not None:
            self._show_memory_title(self.memory)
            self.follow_memory()

    def _show_memory_title(self, pane: MemoryPane) -> None:
        """Say in the title above the pane where its cursor is, and what keys do."""
        title, before = self.body.shared_title, self._memory_hint
        if self.body.bottom != _NAME:
            if title.hint == before:
                title.hint = ""
            return
        if pane.is_typing:
            words = "hexadecimal digits · Enter writes them · Esc leaves them"
        else:
            keys = [self.key_map.tell("go_to_line", "goes elsewhere")]
            if pane.has_place:
                writes = self.key_map.tell("set_variable", "writes")
                keys = [f"{pane.address:#x}", "; Enter follows", writes, *keys]
            words = "".join(keys).replace("; ", " · ")
        self._memory_hint = title.hint = words.removeprefix(" · ")
        title.hint_is_warning = pane.is_typing
