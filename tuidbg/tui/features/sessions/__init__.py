"""The sessions of this process, and the clients sharing them."""

from __future__ import annotations

from tuidbg.tui.features.sessions import commands as sessions
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import ScreenHooks
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("stop", ("Q",), "Stop or detach", "Run", sessions.stop_program,
            "end", needs_program=True),
    Command("launch", ("alt+n",), "Launch another program", "Run", sessions.launch_program),
    Command("attach", ("alt+a",), "Attach to a running program", "Run",
            sessions.attach_to_program),
    Command("run_configuration", ("alt+c",), "Choose a launch.json configuration", "Run",
            sessions.run_configuration),
    Command("map_source", ("Z",), "Use this file for the program's path", "Source",
            sessions.map_source, needs_program=True),
    Command("show_sessions", ("8",), "Sessions", "Panes", sessions.show_sessions),
    Command("show_stopped", ("alt+s",), "Process that stopped last", "Processes",
            sessions.show_stopped, "stopped process", needs_program=True),
    Command("next_process", ("alt+p",), "Next process", "Processes", sessions.next_process,
            needs_program=True),
    Command("follow_stops", ("alt+o",), "Show stopped processes (on/off)", "Processes",
            sessions.follow_stops, needs_program=True),
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
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
    hooks.children_started.append(sessions.note_processes)
    hooks.handle("on_activity_pane_call_chosen", sessions.call_chosen)
    hooks.handle("on_log_pane_line_chosen", sessions.line_chosen)
