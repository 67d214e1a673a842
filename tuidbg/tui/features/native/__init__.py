"""Memory, disassembly and signals of native programs."""

from __future__ import annotations

from tuidbg.tui.features.native import disassembly_commands as code
from tuidbg.tui.features.native import memory_commands as memory
from tuidbg.tui.features.native import signal_commands as signals
from tuidbg.tui.features.native.machine_code import MachineCode
from tuidbg.tui.features.native.memory import MemoryPane, ProgramMemory
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import ALIVE, PAUSED, ScreenHooks
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("send_signal", (), "Send a signal to the program", "Run", signals.send_signal,
            statuses=ALIVE),
    Command("save_core", (), "Write a core file of the program", "Run", signals.save_core,
            statuses=PAUSED),
    Command("show_code", ("alt+d",), "Disassembly / source", "Machine", code.show_code,
            statuses=PAUSED, obstacle=code.why_no_code, in_pane={"code": code.leave_code}),
    Command("show_memory", ("alt+m",), "Memory", "Machine", memory.show_memory,
            statuses=PAUSED, obstacle=memory.why_no_memory,
            in_pane={"variables": memory.show_memory_of_variable}),
    Command("break_at_address", ("alt+b",), "Break at an address", "Machine",
            code.break_at_address, needs_program=True),
    Command("choose_granularity", ("alt+g",), "Step granularity", "Machine",
            code.choose_granularity, obstacle=code.why_no_granularity, needs_program=True),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
    hooks.put_in_pane("run_to_cursor", "code", code.run_to_code)
    hooks.put_in_pane("toggle_breakpoint", "code", code.toggle_breakpoint_here)
    hooks.put_in_pane("edit_breakpoint", "code", code.edit_breakpoint_here)
    hooks.put_in_pane("undo_delete", "memory", memory.undo_write)
    hooks.put_in_pane("search", "memory", memory.search_memory)
    hooks.put_in_pane("search_next", "memory", memory.next_place)
    hooks.put_in_pane("search_previous", "memory", memory.previous_place)
    hooks.put_in_pane("go_to_line", "code", code.go_to_code)
    hooks.put_in_pane("go_to_line", "memory", memory.go_to_address)
    hooks.put_in_pane("go_to_definition", "code", code.follow_instruction)
    hooks.put_in_pane("go_back", "code", code.go_back_in_code)
    hooks.put_in_pane("go_back", "memory", memory.go_back_in_memory)
    hooks.put_in_pane("set_variable", "memory", memory.type_bytes)
    hooks.put_in_pane("undo_change", "memory", memory.undo_write)
    hooks.code_display = MachineCode.of
    hooks.typing.append(lambda ui: ProgramMemory.of(ui).typing)
    hooks.focusing.append(memory.ready_if_focused)
    hooks.state_changed.append(lambda ui: ProgramMemory.of(ui).follow())
    hooks.rearranged.append(lambda ui: ProgramMemory.of(ui).note_rearranged())
    hooks.handle("on_code_pane_wanting", code.more_rows_wanted)
    hooks.handle("on_code_pane_chosen", code.instruction_chosen)
    hooks.handle("on_code_pane_breakpoint_toggled", code.breakpoint_toggled)
    hooks.handle(MemoryPane.Wanting, memory.bytes_wanted)
    hooks.handle(MemoryPane.Followed, memory.follow_pointer)
    hooks.handle(MemoryPane.Typed, memory.bytes_typed)
    hooks.handle(MemoryPane.Moved, memory.cursor_moved)
