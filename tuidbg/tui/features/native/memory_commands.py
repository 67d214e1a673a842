"""Memory commands: show an expression's memory, follow pointers, search, write bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.session.features.native.memory import read_pattern
from tuidbg.session.features.native.views import NativeViews
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import Variable
from tuidbg.tui.features.native.memory import NAME, ProgramMemory
from tuidbg.tui.panes import searching
from tuidbg.tui.panes.context import Context

if TYPE_CHECKING:
    from tuidbg.tui.features.native.memory import MemoryPane

_POINTER = 8
"""Bytes of a pointer."""


def why_no_memory(ui: Context) -> str:
    """Return why memory is unavailable; empty if it is available."""
    return NativeViews.of(ui.session).memory.why_not()


def show_memory(ui: Context) -> None:
    """Show the memory pane as it was; the stack at first."""
    if not _is_refused(ui):
        pane = ProgramMemory.of(ui).ready()
        if not pane.has_place:
            ui.run_in_background("memory", _go_to_address, ui, "$sp")
        else:
            ProgramMemory.of(ui).follow()
        _turn_to_it(ui)


def show_memory_of_variable(ui: Context) -> None:
    """Show the memory of the variable at the cursor."""
    if (found := ui.variables.cursor_variable) is None:
        show_memory(ui)
    elif not _is_refused(ui):
        ui.run_in_background("memory", _show_variable, ui, found[1])
        _turn_to_it(ui)


def _is_refused(ui: Context) -> bool:
    """Report if memory is unavailable; return whether it is."""
    if why := why_no_memory(ui):
        ui.status.show_hint(f"Memory: {why}", "warning")
    return bool(why)


def _turn_to_it(ui: Context) -> None:
    ui.focus_pane(NAME)
    memory = ProgramMemory.of(ui)
    memory.show_title(memory.ready())


async def _show_variable(ui: Context, variable: Variable) -> None:
    frame = ui.view.frame
    frame_id = frame.id if frame is not None else None
    address = await NativeViews.of(ui.session).memory.address_of(variable, frame_id)
    ProgramMemory.of(ui).go_to(address)


def go_to_address(ui: Context) -> None:
    """Ask for an address or an expression, and show the memory there."""
    from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

    def take(text: str | None) -> None:
        if text and text.strip():
            ui.run_in_background("memory", _go_to_address, ui, text)

    hint = "an address or an expression"
    ui.app.push_screen(PromptDialog("Memory at", hint=hint), take)


async def _go_to_address(ui: Context, text: str) -> None:
    frame = ui.view.frame
    address = await NativeViews.of(ui.session).memory.find(
        text, frame.id if frame is not None else None
    )
    ProgramMemory.of(ui).go_to(address)


async def _follow_pointer(ui: Context) -> None:
    if (pane := ProgramMemory.of(ui).shown) is None or not pane.has_place:
        return
    data = (await NativeViews.of(ui.session).memory.read(pane.address, _POINTER)).data
    target = int.from_bytes(data, "little")
    if len(data) < _POINTER or not (await NativeViews.of(ui.session).memory.read(target, 1)).data:
        shown = f"{target:#x} is not" if len(data) == _POINTER else "this is not"
        ui.status.show_hint(f"{shown} in the program's memory", "warning")
        return
    ProgramMemory.of(ui).go_to(target)
    way = ui.key_map.tell("go_back", "goes back")
    ui.status.show_hint(f"this is {target:#x}{way}")


def follow_pointer(ui: Context) -> None:
    ui.run_in_background("memory", _follow_pointer, ui)


def go_back_in_memory(ui: Context) -> None:
    """Go back to before the last jump."""
    memory = ProgramMemory.of(ui)
    if memory.jumps:
        memory.go_to(memory.jumps.pop(), leave=False)
    else:
        ui.status.show_hint("there is nothing to go back to", "warning")


class _MemorySearch:
    """A search of bytes or a text, only at Enter, as memory has no end."""

    def __init__(self, ui: Context) -> None:
        self._ui = ui

    def begin(self) -> None:
        """Do nothing before Enter."""

    def follow(self, text: str) -> str:
        try:
            read_pattern(text)
        except DebuggerError as error:
            return str(error) if text else ""
        return ""

    def accept(self, text: str) -> str:
        return self.go_on(text, backwards=False)

    def leave(self) -> None:
        """Do nothing: nothing was changed."""

    def go_on(self, text: str, *, backwards: bool) -> str:
        try:
            ProgramMemory.of(self._ui).wanted = read_pattern(text)
        except DebuggerError as error:
            self._ui.status.show_hint(str(error), "warning")
        else:
            self._ui.status.show_hint("searching…")
            self._ui.run_in_background("memory", _search_memory, self._ui, backwards)
        return ""


def search_memory(ui: Context) -> None:
    """Ask for bytes or a text, and go to the next occurrence."""
    hint = '"text" or bytes: 7f 45 4c'
    searching.ask(ui, _MemorySearch(ui), hint=hint)


def next_place(ui: Context) -> None:
    """Go to the next occurrence after the cursor."""
    searching.go_on(ui, _MemorySearch(ui), backwards=False)


def previous_place(ui: Context) -> None:
    """Go to the previous occurrence before the cursor."""
    searching.go_on(ui, _MemorySearch(ui), backwards=True)


async def _search_memory(ui: Context, backwards: bool) -> None:
    if (pane := ProgramMemory.of(ui).shown) is None:
        return
    memory, wanted = NativeViews.of(ui.session).memory, ProgramMemory.of(ui).wanted
    if backwards:
        found = await memory.search_back(pane.address, wanted)
    else:
        found = await memory.search(pane.address + 1, wanted)
    if found is None:
        end = "beginning" if backwards else "end"
        ui.status.show_hint(f"not found from here to the {end} of this memory", "warning")
    else:
        ProgramMemory.of(ui).go_to(found)
        searching.tell(ui, f"found at {found:#x}")


def type_bytes(ui: Context) -> None:
    """Edit the bytes from the cursor on."""
    if (pane := ProgramMemory.of(ui).shown) is None or not pane.has_place:
        return
    if why := NativeViews.of(ui.session).memory.why_no_writing():
        ui.status.show_hint(f"Write to memory: {why}", "warning")
    elif pane.byte_at(pane.address) is None:
        ui.status.show_hint("this byte can't even be read", "warning")
    else:
        pane.begin_typing()
        if ui.body.tabs.display:  # the pane has no title then
            words = "digits · Enter write · Esc discard"
            ui.status.show_hint(f"hex {words}")


def bytes_typed(ui: Context, event: MemoryPane.Typed) -> None:
    ui.run_command(_write, ui, event.address, event.data)


async def _write(ui: Context, address: int, data: bytes) -> None:
    written = await NativeViews.of(ui.session).memory.write(address, data, origin="tui")
    way = ui.key_map.tell("undo_change", "undoes it until the program resumes")
    count = "1 byte" if len(data) == 1 else f"{len(data)} bytes"
    ui.status.show_hint(f"{count} at {written.address:#x} set{way}")


async def _undo_write(ui: Context) -> None:
    """Restore the bytes overwritten by the last write."""
    undone = await NativeViews.of(ui.session).memory.undo(origin="tui")
    if undone is None:
        ui.status.show_hint("nothing was written at this stop", "warning")
    else:
        ui.status.show_hint(f"{undone.address:#x} is as it was before")


def undo_write(ui: Context) -> None:
    """Restore the bytes overwritten by the last write."""
    ui.run_command(_undo_write, ui)


# The pane


def ready_if_focused(ui: Context, name: str) -> None:
    if name == NAME:
        ProgramMemory.of(ui).ready()


def bytes_wanted(ui: Context) -> None:
    ProgramMemory.of(ui).follow()


def cursor_moved(ui: Context) -> None:
    ProgramMemory.of(ui).refresh_title()
