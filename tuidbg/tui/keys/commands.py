"""The table of all commands: keys, words, function, availability.

The key bindings, the key bar, the help, the command palette and the manual's table of keys all come
from here, so that they can't disagree. A key calls the function in the command's row, or in the
row's ``in_pane`` if the focused pane gives the key a meaning of its own.
"""

from __future__ import annotations

from tuidbg.session.state import Status
from tuidbg.tui.autopsy import commands as autopsy
from tuidbg.tui.breakpoints import commands as breakpoints
from tuidbg.tui.console import commands as console
from tuidbg.tui.context import Context
from tuidbg.tui.find import commands as definition
from tuidbg.tui.find import commands as find
from tuidbg.tui.find import searching
from tuidbg.tui.frame import commands as frame
from tuidbg.tui.history import commands as history
from tuidbg.tui.job import commands as job
from tuidbg.tui.keys import command_line
from tuidbg.tui.keys import keymap_commands as key_maps
from tuidbg.tui.keys.key_map import Command, KeyMap
from tuidbg.tui.launching import commands as launching
from tuidbg.tui.native import disassembly_commands as code
from tuidbg.tui.native import memory_commands as memory
from tuidbg.tui.native import signal_commands as signals
from tuidbg.tui.past import commands as past
from tuidbg.tui.past import queries as asking
from tuidbg.tui.recording import commands as recording
from tuidbg.tui.sessions import commands as attached
from tuidbg.tui.sessions import commands as processes
from tuidbg.tui.sessions import commands as sessions
from tuidbg.tui.settings import commands as settings
from tuidbg.tui.source import commands as editor
from tuidbg.tui.source import commands as source
from tuidbg.tui.source import hover
from tuidbg.tui.stack import commands as stack
from tuidbg.tui.stack import step_commands as steps
from tuidbg.tui.table import commands as table
from tuidbg.tui.terminal import commands as terminal
from tuidbg.tui.trace import commands as trace
from tuidbg.tui.variables import commands as variables
from tuidbg.tui.variables import commands as watches

_PAUSED = frozenset({Status.PAUSED})
_RUNNING = frozenset({Status.RUNNING})
_STARTED = frozenset(Status) - {Status.CREATED, Status.LAUNCHING}
_LOOKED = frozenset({Status.PAUSED, Status.TERMINATED, Status.FAILED})
_ALIVE = frozenset({Status.LAUNCHING, Status.RUNNING, Status.PAUSED})

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
COMMANDS: tuple[Command[Context], ...] = (
    Command("resume", ("c", "f5"), "Continue", "Run", steps.resume, "continue", _PAUSED,
            despite=steps.may_go_on),
    Command("step_over", ("n", "f10"), "Step over", "Run", steps.step_over, "over", _PAUSED,
            despite=steps.may_go_on),
    Command("step_into", ("s", "f11"), "Step into", "Run", steps.step_into, "into", _PAUSED,
            despite=steps.may_go_on),
    Command("step_out", ("o", "shift+f11"), "Step out", "Run", steps.step_out, "out", _PAUSED,
            despite=steps.may_go_on),
    Command("pause", ("p", "f6"), "Pause", "Run", steps.pause, "pause", _RUNNING),
    Command("run_to_cursor", ("t",), "Run to the cursor", "Run", steps.run_to_cursor, "to cursor",
            _PAUSED, in_pane={"code": code.run_to_code}),
    Command("step_into_call", ("I",), "Step into a call on the line", "Run", stack.step_into_call,
            statuses=_PAUSED, obstacle=stack.why_no_call),
    Command("step_alone", ("O",), "Step this thread only / all threads", "Run", stack.step_alone,
            obstacle=stack.why_no_single_thread, needs_program=True),
    Command("jump_to_cursor", ("N",), "Jump to cursor", "Run", stack.jump_to_cursor,
            statuses=_PAUSED, obstacle=stack.why_no_jump, risk=stack.what_jump_skips),
    Command("restart_frame", ("K",), "Restart frame", "Run", stack.restart_frame,
            statuses=_PAUSED, obstacle=stack.why_no_frame_restart,
            risk=stack.what_begins_again),
    Command("restart", ("R",), "Restart the program", "Run", steps.restart, "restart", _STARTED,
            obstacle=steps.why_no_restart, despite=steps.waits_for_program,
            risk=steps.what_restart_loses),
    Command("toggle_autorestart", ("alt+r",), "Restart when sources change (on/off)", "Run",
            steps.toggle_autorestart, needs_program=True),
    Command("stop", ("Q",), "Stop or detach", "Run", attached.stop_program,
            "end", needs_program=True),
    Command("send_signal", (), "Send a signal to the program", "Run", signals.send_signal,
            statuses=_ALIVE),
    Command("save_core", (), "Write a core file of the program", "Run", signals.save_core,
            statuses=_PAUSED),
    Command("launch", ("alt+n",), "Launch another program", "Run", launching.launch_program),
    Command("attach", ("alt+a",), "Attach to a running program", "Run",
            launching.attach_to_program),
    Command("run_configuration", ("alt+c",), "Choose a launch.json configuration", "Run",
            launching.run_configuration),
    Command("frame_up", ("left_square_bracket",), "Frame up (the caller)", "Stack", stack.frame_up,
            statuses=_PAUSED, despite=past.is_in_past),
    Command("frame_down", ("right_square_bracket",), "Frame down", "Stack", stack.frame_down,
            statuses=_PAUSED, despite=past.is_in_past),
    Command("show_tasks", ("T",), "asyncio tasks", "Stack", stack.show_tasks, statuses=_PAUSED,
            obstacle=stack.why_no_tasks),
    Command("toggle_breakpoint", ("b", "f9"), "Toggle a breakpoint", "Breakpoints",
            breakpoints.toggle_breakpoint, "break", in_pane={"code": code.toggle_breakpoint_here}),
    Command("edit_breakpoint", ("B",), "Edit the breakpoint at the cursor", "Breakpoints",
            breakpoints.edit_breakpoint,
            in_pane={"code": code.edit_breakpoint_here, "breakpoints": breakpoints.edit_chosen}),
    Command("break_on_function", ("f",), "Break on a function", "Breakpoints",
            breakpoints.break_on_function, needs_program=True),
    Command("edit_exceptions", ("x",), "Exceptions to stop at", "Breakpoints",
            breakpoints.edit_exceptions, needs_program=True),
    Command("undo_delete", ("u",), "Restore the last deleted breakpoint", "Breakpoints",
            breakpoints.undo_delete,
            in_pane={"variables": variables.undo_change, "memory": memory.undo_write}),
    Command("mute_breakpoints", ("m",), "Mute / unmute breakpoints", "Breakpoints",
            breakpoints.mute_breakpoints),
    Command("disable_all", ("X",), "Disable all breakpoints", "Breakpoints",
            breakpoints.disable_all),
    Command("enable_all", ("A",), "Enable all breakpoints", "Breakpoints", breakpoints.enable_all,
            risk=breakpoints.what_enabling_loses),
    Command("explain_breakpoint", ("y",), "Why does it not stop?", "Breakpoints",
            breakpoints.explain_breakpoint, in_pane={"variables": variables.copy_value}),
    Command("show_autopsy", ("e",), "Exception autopsy", "Looking back",
            autopsy.show_autopsy, "autopsy", _LOOKED, obstacle=autopsy.why_no_autopsy,
            needs_program=True),
    Command("show_history", ("h",), "History of stops", "Looking back", history.show_history,
            "history", obstacle=history.why_no_history, needs_program=True),
    Command("record_run", ("ctrl+r",), "Start / stop recording",
            "Looking back", past.record_run, obstacle=past.why_no_recording, needs_program=True),
    Command("write_recording", (), "Save the recording to a file", "Looking back",
            past.write_recording, obstacle=past.why_no_past),
    Command("step_back", ("left_parenthesis",), "Step back", "Looking back", past.step_back,
            "back", _LOOKED, obstacle=past.why_no_way_back),
    Command("step_back_into", ("left_curly_bracket",), "Step back into calls",
            "Looking back", past.step_back_into, statuses=_LOOKED, obstacle=past.why_no_way_back),
    Command("step_back_out", ("right_curly_bracket",), "Step back out",
            "Looking back", past.step_back_out, statuses=_LOOKED, obstacle=past.why_no_way_back),
    Command("back_to_breakpoint", ("backslash",), "Reverse continue", "Looking back",
            past.back_to_breakpoint, statuses=_LOOKED, obstacle=past.why_no_way_back),
    Command("show_last_change", ("number_sign",), "Where was it last changed?", "Looking back",
            asking.show_last_change, "changed", _LOOKED, obstacle=past.why_no_past),
    Command("show_changes", ("asterisk",), "All values and changes", "Looking back",
            asking.show_changes, "all values", _LOOKED, obstacle=past.why_no_past),
    Command("show_first_time", ("circumflex_accent",), "When did it become true?", "Looking back",
            asking.show_first_time, "when", _LOOKED, obstacle=past.why_no_past),
    Command("show_last_time", ("dollar_sign",), "When did it last become true?", "Looking back",
            asking.show_last_time, statuses=_LOOKED, obstacle=past.why_no_past),
    Command("show_passes", ("at",), "All executions of this line", "Looking back",
            asking.show_passes, "passes", _LOOKED, obstacle=past.why_no_past),
    Command("show_calls", ("ampersand",), "All calls of this function", "Looking back",
            asking.show_calls, "calls", _LOOKED, obstacle=past.why_no_past),
    Command("mark_moment", ("apostrophe",), "Mark / compare moments", "Looking back",
            asking.mark_moment, statuses=_LOOKED, obstacle=past.why_no_past),
    Command("compare_runs", ("percent_sign",), "Compare with the previous run", "Looking back",
            asking.compare_runs, statuses=_LOOKED, obstacle=past.why_no_past),
    Command("record_call", ("comma",), "Record one call of a function", "Looking back",
            recording.record_call, needs_program=True),
    Command("show_recordings", (), "Recorded calls", "Looking back", recording.show_recordings,
            needs_program=True),
    Command("export_report", ("H",), "Write a session report", "Looking back",
            history.export_report),
    Command("search", ("slash",), "Search in the pane; filter the trace", "Source",
            searching.search, "search",
            in_pane={"trace": trace.filter_trace, "variables": variables.search_variables,
                     "memory": memory.search_memory, "terminal": terminal.search_output}),
    Command("search_next", ("f3",), "Next match", "Source", searching.search_next,
            "next match",
            in_pane={"trace": trace.next_record, "variables": variables.next_match,
                     "memory": memory.next_place, "terminal": terminal.next_in_output}),
    Command("search_previous", ("shift+f3",), "Previous match", "Source",
            searching.search_previous,
            in_pane={"trace": trace.previous_record, "variables": variables.previous_match,
                     "memory": memory.previous_place, "terminal": terminal.previous_in_output}),
    Command("go_to_line", ("g",), "Go to a line", "Source", source.go_to_line, "line",
            in_pane={"variables": variables.go_to_item, "code": code.go_to_code,
                     "memory": memory.go_to_address}),
    Command("open_file", ("ctrl+o",), "Open another file", "Source", source.open_file),
    Command("find_in_files", ("ctrl+f",), "Find in the project's files", "Source", find.find_again,
            "find"),
    Command("go_to_definition", ("G",), "Go to the definition of a name", "Source",
            definition.go_to_definition, in_pane={"code": code.follow_instruction}),
    Command("go_back", ("backspace",), "Go back", "Source", source.go_back,
            in_pane={"code": code.go_back_in_code, "memory": memory.go_back_in_memory}),
    Command("show_modules", ("M",), "Program modules", "Source", definition.show_modules,
            statuses=_PAUSED, obstacle=definition.why_no_modules),
    Command("map_source", ("Z",), "Look here for the file of the program", "Source",
            attached.map_source, needs_program=True),
    Command("edit_source", ("ctrl+e",), "Open the line in your editor", "Source",
            editor.edit_source, obstacle=editor.why_no_editor),
    Command("show_execution", ("full_stop",), "Show the current line", "Source",
            source.show_execution, "now", _PAUSED, despite=past.is_in_past),
    Command("toggle_just_my_code", ("J",), "Step into libraries (on/off)", "Source",
            source.toggle_just_my_code, obstacle=source.why_no_rules, needs_program=True),
    Command("include_library", ("L",), "Debug this library / skip it", "Source",
            source.include_library, obstacle=source.why_no_rules, needs_program=True),
    Command("show_code", ("alt+d",), "Disassembly / source", "Machine", code.show_code,
            statuses=_PAUSED, obstacle=code.why_no_code, in_pane={"code": code.leave_code}),
    Command("show_memory", ("alt+m",), "Memory", "Machine", memory.show_memory,
            statuses=_PAUSED, obstacle=memory.why_no_memory,
            in_pane={"variables": memory.show_memory_of_variable}),
    Command("break_at_address", ("alt+b",), "Break at an address", "Machine",
            code.break_at_address, needs_program=True),
    Command("choose_granularity", ("alt+g",), "Step granularity", "Machine",
            code.choose_granularity, obstacle=code.why_no_granularity, needs_program=True),
    Command("open_table", ("v",), "Show as a table", "Values", table.show_table, statuses=_PAUSED,
            obstacle=table.why_no_tables, in_pane={"variables": table.show_variable}),
    Command("set_variable", ("r",), "Set the variable at the cursor", "Values",
            variables.set_variable, statuses=_PAUSED, in_pane={"memory": memory.type_bytes}),
    Command("undo_change", ("U",), "Undo the last set value", "Values",
            variables.undo_change, statuses=_PAUSED, in_pane={"memory": memory.undo_write}),
    Command("show_value", ("l",), "Full value", "Values", variables.show_value,
            statuses=_PAUSED, despite=past.is_in_past),
    Command("copy_value", ("Y",), "Copy a variable's value or expression", "Values",
            variables.copy_value, statuses=_PAUSED, despite=past.is_in_past),
    Command("display_variable", ("equals_sign",), "Change display format", "Values",
            variables.display_variable, statuses=_PAUSED, despite=past.is_in_past,
            in_pane={"variables": watches.display_or_delete}),
    Command("add_watch", ("w",), "Watch an expression", "Values", watches.add_watch),
    Command("edit_watch", ("W",), "Edit the watch at the cursor", "Values", watches.edit_watch),
    Command("delete_watch", ("delete",), "Delete the watch at the cursor", "Values",
            watches.delete_watch),
    Command("break_on_change", ("C",), "Break when the value changes (on/off)", "Values",
            watches.break_on_change, statuses=_PAUSED),
    Command("break_on_access", ("alt+w",), "Break on read or write", "Values",
            watches.break_on_access, statuses=_PAUSED),
    Command("pin_variable", ("P",), "Pin / unpin the variable at the cursor", "Values",
            watches.pin_variable),
    Command("toggle_inline_values", ("V",), "Inline values (on/off)", "Values",
            hover.toggle_inline_values),
    Command("filter_variables", ("F",), "Filter and sort the variables", "Values",
            variables.filter_variables),
    Command("focus_source", ("1",), "Source pane", "Panes", frame.focus_source),
    Command("focus_variables", ("2",), "Variables pane", "Panes", frame.focus_variables),
    Command("focus_stack", ("3",), "Stack pane", "Panes", frame.focus_stack),
    Command("focus_breakpoints", ("4",), "Breakpoints pane", "Panes", frame.focus_breakpoints),
    Command("focus_console", ("5",), "Console pane", "Panes", frame.focus_console),
    Command("focus_trace", ("6",), "Trace pane", "Panes", frame.focus_trace),
    Command("focus_activity", ("7",), "Activity pane: API calls", "Panes",
            frame.focus_activity),
    Command("show_sessions", ("8",), "Sessions", "Panes", sessions.show_sessions),
    Command("focus_log", ("9",), "Log pane", "Panes", frame.focus_log),
    Command("toggle_terminal", ("0",), "Program's terminal / back", "Panes",
            terminal.show_terminal, in_pane={"terminal": terminal.leave_terminal},
            needs_program=True),
    Command("next_pane", ("tab",), "Next pane", "Panes", frame.next_pane),
    Command("previous_pane", ("shift+tab",), "Previous pane", "Panes", frame.previous_pane),
    Command("maximise", ("z",), "Maximise / restore the pane", "Panes", frame.maximise),
    Command("widen_pane", ("greater_than_sign",), "Wider", "Panes", frame.widen_pane),
    Command("narrow_pane", ("less_than_sign",), "Narrower", "Panes", frame.narrow_pane),
    Command("heighten_pane", ("plus",), "Taller", "Panes", frame.heighten_pane),
    Command("lower_pane", ("minus",), "Shorter", "Panes", frame.lower_pane),
    Command("reset_layout", (), "Reset the layout", "Panes", settings.reset_layout),
    Command("show_stopped", ("alt+s",), "Process that stopped last", "Processes",
            processes.show_stopped, "stopped process", needs_program=True),
    Command("next_process", ("alt+p",), "Next process", "Processes", processes.next_process,
            needs_program=True),
    Command("follow_stops", ("alt+o",), "Show stopped processes (on/off)", "Processes",
            processes.follow_stops, needs_program=True),
    Command("show_job", ("alt+q",), "Job: all processes", "Processes",
            job.show_job, "job", obstacle=job.why_no_job, needs_program=True),
    Command("evaluate", ("colon",), "Evaluate an expression", "Console", console.evaluate,
            "evaluate", _PAUSED, despite=past.is_in_past),
    Command("switch_input", ("i",), "Send input to the program", "Console",
            console.switch_input, "type to it", _ALIVE),
    Command("export_trace", ("S",), "Write the trace to a file", "Console", trace.export_trace),
    Command("clear_console", ("ctrl+l",), "Clear the console or the trace", "Console",
            console.clear_console, in_pane={"trace": trace.clear_trace}),
    Command("serve", ("f2",), "Serve this session to programs (on/off)", "Programs",
            sessions.serve, obstacle=sessions.why_no_serving),
    Command("hold_agents", ("a",), "Pause / resume agents", "Programs",
            sessions.hold_agents),
    Command("take_over", ("k",), "Take over: pause the agents and the program", "Programs",
            sessions.take_over),
    Command("park_session", ("j",), "Park / unpark the session", "Programs",
            sessions.park_session),
    Command("build", ("f4",), "Build / cancel the build", "Programs", sessions.build_project),
    Command("about", ("f12",), "About: versions and capabilities", "Programs", sessions.show_about),
    Command("show_adapters", ("alt+v",), "Debug adapters on this machine", "Programs",
            sessions.show_adapters),
    Command("next_theme", ("f8",), "Next theme", "tuidbg", frame.next_theme),
    Command("choose_theme", (), "Choose a theme", "tuidbg", settings.choose_theme),
    Command("choose_key_map", ("f7",), "Choose a key map", "tuidbg", key_maps.choose_key_map),
    Command("show_settings", ("shift+f8",), "Settings: values and sources", "tuidbg",
            settings.show_settings),
    Command("type_command", ("semicolon",), "Type a command by its name", "tuidbg",
            command_line.type_command),
    Command("suspend", ("ctrl+z",), "Suspend tuidbg (fg comes back)", "tuidbg", frame.suspend,
            obstacle=frame.why_no_suspending),
    Command("command_palette", ("ctrl+p",), "All commands", "tuidbg", frame.show_palette,
            "commands", palette=False),
    Command("help", ("question_mark",), "Help", "tuidbg", frame.show_help, "help"),
    Command("show_manual", ("f1",), "Manual page for the focused pane", "tuidbg",
            frame.show_manual),
    Command("quit", ("q", "ctrl+q"), "Quit", "tuidbg", frame.leave_tuidbg, "quit",
            risk=frame.what_leaving_ends),
)
# fmt: on

DEFAULT_MAP = KeyMap("default", COMMANDS, {command.name: command.keys for command in COMMANDS})
