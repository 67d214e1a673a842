"""Disassembly commands: show, follow, step and break by instruction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.session.core.stepping import Granularity
from tuidbg.session.features.native.views import NativeViews
from tuidbg.session.model.state import Breakpoint, BreakpointKind
from tuidbg.tui.features.native.disassembly_pane import address_of, place_of, target_of
from tuidbg.tui.features.native.machine_code import MachineCode
from tuidbg.tui.panes.breakpoints import editing
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.source.jumps import go_to_place

if TYPE_CHECKING:
    from tuidbg.session.features.native.disassembly import Row
    from tuidbg.tui.features.native.disassembly_pane import CodePane


def why_no_code(ui: Context) -> str:
    """Return why there is no disassembly; empty if there is."""
    return NativeViews.of(ui.session).disassembly.why_not()


def show_code(ui: Context) -> None:
    if why := why_no_code(ui):
        ui.status.show_hint(f"Machine code: {why}", "warning")
    else:
        MachineCode.of(ui).show()


def leave_code(ui: Context) -> None:
    """Switch from the disassembly to the source."""
    if why := why_no_code(ui):
        ui.status.show_hint(f"Machine code: {why}", "warning")
    else:
        ui.focus_pane("source")


# Movement


def follow_instruction(ui: Context) -> None:
    """Go to the target of the instruction under the cursor, like Enter in the pane."""
    if (pane := MachineCode.of(ui).pane) is not None:
        pane.action_choose()


def instruction_chosen(ui: Context, event: CodePane.Chosen) -> None:
    """Go to the target of a call or jump; for others, to the source line."""
    if (target := target_of(event.row)) is not None:
        ui.run_in_background("code", _go_to_code, ui, hex(target))
        return
    place = place_of(event.row)
    if place is None:
        ui.status.show_hint("no line of source is known for this", "warning")
    else:
        go_to_place(ui, place.path, place.line)


def go_to_code(ui: Context) -> None:
    """Ask for an address or a function, and disassemble there."""
    from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

    def take(text: str | None) -> None:
        if text and text.strip():
            ui.run_in_background("code", _go_to_code, ui, text)

    hint = "an address, a function, an expression"
    ui.app.push_screen(PromptDialog("Code at", hint=hint), take)


async def _go_to_code(ui: Context, text: str) -> None:
    frame = ui.view.frame
    address = await NativeViews.of(ui.session).memory.find(
        text, frame.id if frame is not None else None
    )
    if (shown := MachineCode.of(ui).shown) is None:
        return
    here = address_of(shown.pane.cursor_row)
    await shown.show(address)
    shown.show_marks()
    if here is not None:
        MachineCode.of(ui).jumps.append(here)


def go_back_in_code(ui: Context) -> None:
    """Go back to before the last jump."""
    code = MachineCode.of(ui)
    if code.jumps and code.shown is not None:
        ui.run_in_background("code", code.shown.show, code.jumps.pop())
    else:
        ui.status.show_hint("there is nothing to go back to", "warning")


def _cursor_row(ui: Context) -> Row | None:
    pane = MachineCode.of(ui).pane
    return pane.cursor_row if pane is not None else None


# Breakpoints


def toggle_breakpoint_here(ui: Context) -> None:
    """Set or delete the breakpoint at the row under the cursor."""
    pane = MachineCode.of(ui).pane
    if pane is not None and pane.cursor_row is not None:
        toggle_at(ui, pane.cursor_row)


def toggle_at(ui: Context, row: Row) -> None:
    """Set or delete the breakpoint at an instruction or a source line."""
    from tuidbg.session.features.native.disassembly import DisassemblySourceLine

    registry = ui.session.breakpoints
    if isinstance(row, DisassemblySourceLine):
        ui.run_command(registry.toggle, row.place.path, row.place.line, origin="tui")
    else:
        ui.run_command(registry.toggle_address, row.address, origin="tui")


def edit_breakpoint_here(ui: Context) -> None:
    """Edit the breakpoint at the row under the cursor."""
    row = _cursor_row(ui)
    if row is None:
        editing.edit_breakpoint(ui)
    elif (address := address_of(row)) is not None:
        _edit_address(ui, address)
    elif (place := place_of(row)) is not None:
        editing.edit_at(ui, place.path, place.line)


def _edit_address(ui: Context, address: int) -> None:
    found = ui.session.breakpoints.registry.find_address(address)
    if found is not None:
        editing.edit(ui, found)
    else:
        new = Breakpoint(number=0, kind=BreakpointKind.ADDRESS, address=address)
        editing.edit_new(ui, new, hex(address))


def break_at_address(ui: Context) -> None:
    row = _cursor_row(ui)
    address = address_of(row)
    if address is None and ui.view.frame is not None:
        address = ui.view.frame.address
    new = Breakpoint(number=0, kind=BreakpointKind.ADDRESS, address=address)
    editing.edit_new(ui, new, hex(address) if address else "")


# Steps


def run_to_code(ui: Context) -> None:
    """Run to the source line of the row under the cursor."""
    row = _cursor_row(ui)
    place = place_of(row) if row is not None else None
    if place is None:
        way = ui.key_map.tell("toggle_breakpoint", "sets a breakpoint here")
        ui.status.show_hint(f"no line of source is known for this{way}", "warning")
    else:
        ui.run_command(ui.session.execution.run_to, place.path, place.line, origin="tui")


def why_no_granularity(ui: Context) -> str:
    """Return why only line steps are possible; empty if others are, too."""
    return ui.session.stepping.why_no_granularity()


def choose_granularity(ui: Context) -> None:
    from tuidbg.tui.toolkit.dialogs.box import BoxChoice, ChoiceDialog

    stepping = ui.session.stepping
    if why := why_no_granularity(ui):
        ui.status.show_hint(f"Step by: {why}", "warning")
        return
    ways = {str(each)[0]: each for each in Granularity}
    choices = [
        BoxChoice(letter, f"{way}s", "now" if way is stepping.granularity else "")
        for letter, way in ways.items()
    ]

    def take(letter: str | None) -> None:
        if letter is not None:
            stepping.set_granularity(ways[letter])
            ui.view.refresh_status()
            ui.status.show_hint(f"stepping by {ways[letter]}")

    ui.app.push_screen(ChoiceDialog("Step by", choices), take)


# The pane


def more_rows_wanted(ui: Context, event: CodePane.Wanting) -> None:
    MachineCode.of(ui).extend(event.direction)


def breakpoint_toggled(ui: Context, event: CodePane.BreakpointToggled) -> None:
    toggle_at(ui, event.row)
