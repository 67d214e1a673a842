"""Commands about clients: the server, the agents, the other sessions, new sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import Status
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.processes import ALONE, show_process
from tuidbg.tui.toolkit.widgets.rows import visible
from tuidbg.tui.toolkit.wording import characters

if TYPE_CHECKING:
    from tuidbg.session.core.process_tree.family import ProcessInfo, ProcessTree
    from tuidbg.session.core.sources.remote import Proposal
    from tuidbg.session.features.build import ProjectBuild
    from tuidbg.tui.features.sessions.clients import Clients
    from tuidbg.tui.panes.activity import ActivityPane, LogPane

TAKEN_OVER = "a person has taken over"
"""The reason for read-only access as reported to programs."""


def _with_clients(ui: Context) -> Clients | None:
    """Return the clients; show a hint if clients are impossible."""
    try:
        clients = ui.tuidbg.ready_clients()
    except DebuggerError as error:
        ui.status.show_hint(str(error), "error")
        return None
    if clients is None:
        ui.status.show_hint("this tuidbg has one session and serves no programs", "warning")
    return clients


# The server


def why_no_serving(ui: Context) -> str:
    """Return why this tuidbg can't serve programs; empty if it can."""
    return "the tuidbg that this terminal joined serves already" if ui.tuidbg.is_joined else ""


def serve(ui: Context) -> None:
    if why := why_no_serving(ui):
        ui.status.show_hint(why, "warning")
    else:
        ui.run_in_background("serve", _switch_serving, ui)


async def _switch_serving(ui: Context) -> None:
    serving, clients = ui.tuidbg.ready_serving(), ui.tuidbg.ready_clients()
    if serving is None or clients is None:
        ui.status.show_hint("this tuidbg can't serve programs", "warning")
        return
    if serving.status is not None:
        await serving.stop()
        ui.status.show_hint("no program can reach this session any more")
    else:
        served = await serving.start()
        token = f"; the token is in {served.token_file}" if served.token_file else ""
        ui.status.show_hint(f"programs reach this session at {served.address}{token}")
    clients.refresh()


# The agents


def hold_agents(ui: Context) -> None:
    if (clients := _with_clients(ui)) is None:
        return
    if clients.hub.held is None and (why := clients.why_nobody):
        _say_nobody(ui, why)
    elif clients.hub.held is None:
        clients.hub.hold()
        ui.status.show_hint("programs may only look now" + _way_back(ui))
    else:
        clients.hub.hand_back()
        ui.status.show_hint("programs may act again")


def take_over(ui: Context) -> None:
    if (clients := _with_clients(ui)) is None:
        return
    if clients.hub.held is None and (why := clients.why_nobody):
        _say_nobody(ui, why)
        return
    clients.hub.hold(TAKEN_OVER)
    if ui.session.status is Status.RUNNING:
        ui.run_command(ui.session.execution.pause, origin="tui")
    ui.status.show_hint("the controls are yours" + _way_back(ui))


def _say_nobody(ui: Context, why: str) -> None:
    ui.status.show_hint(why + ui.key_map.tell("serve", "lets programs in"), "warning")


def _way_back(ui: Context) -> str:
    return ui.key_map.tell("hold_agents", "hands them back")


# Sessions


def show_sessions(ui: Context) -> None:
    from tuidbg.tui.features.sessions.dialog import SessionsDialog

    if (clients := _with_clients(ui)) is not None:
        ui.app.push_screen(SessionsDialog(clients), ui.tuidbg.obey_sessions)


def park_session(ui: Context) -> None:
    if (clients := _with_clients(ui)) is None or clients.member is None:
        return
    member = clients.member
    member.is_parked = not member.is_parked
    said = "is parked: it stays until it is ended" if member.is_parked else "may expire"
    ui.status.show_hint(f"{member.name} {said}")


# The build


def build_project(ui: Context) -> None:
    try:
        serving = ui.tuidbg.ready_serving()
    except DebuggerError as error:
        ui.status.show_hint(str(error), "error")
        return
    build = serving.build if serving is not None else None
    if build is None:
        why = "there is no build command; start tuidbg with --build-cmd"
        ui.status.show_hint(why, "warning")
    elif build.is_running:
        build.cancel()
    else:
        ui.run_command(_build, ui, build)


async def _build(ui: Context, build: ProjectBuild) -> None:
    session = ui.session
    session.notify(f"building: {build.command}")
    result = await build.run(session.plan.cwd)
    for text in (result.stdout, result.stderr):
        if text:
            session.write_output("console", text.rstrip("\n") + "\n")
    if result.exit_code:
        session.notify(f"the build failed with exit code {result.exit_code}", "error")
    else:
        session.notify(f"built in {result.seconds:.1f} s")


# Details


def show_about(ui: Context) -> None:
    from tuidbg.tui.features.sessions.about import AboutDialog

    serving = ui.tuidbg.serving
    status = serving.status if serving is not None else None
    ui.app.push_screen(AboutDialog(ui.session, status))


def show_adapters(ui: Context) -> None:
    from tuidbg.tui.features.sessions.adapters_dialog import AdaptersDialog

    ui.app.push_screen(AdaptersDialog(ui.session.profile.name))


def call_chosen(ui: Context, event: ActivityPane.CallChosen) -> None:
    """Show all of a call."""
    from tuidbg.tui.panes.activity import describe_call, who

    _read(ui, event.call.action, who(event.call), describe_call(event.call))


def line_chosen(ui: Context, event: LogPane.LineChosen) -> None:
    """Show all of a line of the log."""
    _read(ui, event.line.component, event.line.level.lower(), str(event.line))


def _read(ui: Context, name: str, kind: str, text: str) -> None:
    from tuidbg.session.core.values.types import FullText
    from tuidbg.tui.toolkit.dialogs.pager import PagerDialog

    async def fetch(how: str) -> FullText:
        return FullText(text, len(text))

    def copy(copied: str) -> None:
        ui.run_in_background("copy", _copy_text, ui, copied)

    ui.app.push_screen(PagerDialog(name, kind, fetch, copy))


async def _copy_text(ui: Context, text: str) -> None:
    from tuidbg.tui.toolkit.drivers.clipboard import TooLong, copy_text, environment_of

    try:
        await copy_text(text, ui.app.copy_to_clipboard, environment_of(ui.app))
    except TooLong as error:
        ui.status.show_hint(str(error), "warning")
    else:
        ui.status.show_hint(f"copied {characters(len(text))}")


_ALIVE = (Status.LAUNCHING, Status.RUNNING, Status.PAUSED)


def stop_program(ui: Context) -> None:
    session = ui.session
    family = session.family
    connected = len(family.living_children(session)) if family is not None else 0
    if session.waiting and connected:
        _ask_to_release(ui, connected)
    elif session.waiting:
        ui.run_command(session.lifecycle.stop)
    elif session.status not in _ALIVE:
        ui.status.show_hint("no program runs", "warning")
    else:
        _ask_to_stop(ui)


# Sources of a remote program


def map_source(ui: Context) -> None:
    document = ui.view.document
    if document is None:
        ui.status.show_hint("no source is shown yet", "warning")
    elif not ui.session.remote.is_elsewhere(document.key):
        ui.status.show_hint("this file is here already", "warning")
    else:
        ui.run_command(_propose_mapping, ui, document.key)


async def _propose_mapping(ui: Context, path: str) -> None:
    proposal = await ui.session.remote.propose(path)
    if proposal is None:
        where = visible(ui.session.plan.cwd, 60)
        ui.status.show_hint(f"no file in {where} is like it", "warning")
        return
    from tuidbg.tui.toolkit.dialogs.box import BoxChoice, ChoiceDialog

    same = "the same text" if proposal.share == 1 else f"{proposal.share:.0%} of its lines"
    shown = ui.view.shown_path(proposal.path)
    map_it = BoxChoice("m", f"Take {proposal.local} for {proposal.remote}")
    choices = [map_it, BoxChoice("s", "Show the program's own text")]

    def take(choice: str | None) -> None:
        if choice == "m":
            ui.run_command(_accept_mapping, ui, proposal)

    title = visible(f"{shown} has {same}", 60)
    ui.app.push_screen(ChoiceDialog(title, choices), take)


async def _accept_mapping(ui: Context, proposal: Proposal) -> None:
    await ui.session.remote.accept(proposal, origin="tui")
    ui.status.show_hint(f"{proposal.remote} is {proposal.local} from now on")


def _ask_to_release(ui: Context, connected: int) -> None:
    """Ask about the fate of connected processes: they can't be attached again."""
    from tuidbg.tui.toolkit.dialogs.box import BoxChoice, ChoiceDialog

    session = ui.session
    them = "it" if connected == 1 else "them"
    runs = "it runs" if connected == 1 else "all run"
    choices = [
        BoxChoice("d", f"Detach: {runs} on without the debugger"),
        BoxChoice("e", f"End {them}"),
        BoxChoice("s", "Stay"),
    ]

    def take(choice: str | None) -> None:
        if choice in ("d", "e"):
            ui.run_command(session.lifecycle.stop, kill=choice == "e")

    processes = "process is" if connected == 1 else "processes are"
    title = f"{connected} {processes} connected. Stop listening?"
    ui.app.push_screen(ChoiceDialog(title, choices), take)


def _ask_to_stop(ui: Context) -> None:
    """Ask about the program's fate: an attached one can run on."""
    from tuidbg.tui.toolkit.dialogs.box import BoxChoice, ChoiceDialog

    session = ui.session
    end = BoxChoice("e", "End it")
    choices = [end, BoxChoice("s", "Stay")]
    if session.is_attached:
        choices.insert(0, BoxChoice("d", "Detach: it runs on without the debugger"))

    def take(choice: str | None) -> None:
        if choice in ("d", "e"):
            kill = choice == "e" and session.is_attached
            ui.run_command(session.lifecycle.stop, kill=kill)

    title = visible(session.plan.title, 40)
    ui.app.push_screen(ChoiceDialog(f"What about {title}?", choices), take)


def note_processes(ui: Context) -> None:
    """Handle a new child process: there are several sessions now."""
    if ui.session.family is not None:
        ui.tuidbg.watch_processes(ui.session.family)


def show_stopped(ui: Context) -> None:
    family = ui.session.family
    stopped = family.last_stopped(ui.session) if family is not None else None
    if stopped is not None:
        show_process(ui, stopped)
    else:
        ui.status.show_hint("no other process is stopped", "warning")


def next_process(ui: Context) -> None:
    family = ui.session.family
    following = _next_living(family, ui.session) if family is not None else None
    if following is not None:
        show_process(ui, following)
    else:
        ui.status.show_hint(ALONE, "warning")


def follow_stops(ui: Context) -> None:
    app = ui.tuidbg
    follows = not app.remembered.follow_stops
    app.remembered = msgspec.structs.replace(app.remembered, follow_stops=follows)
    said = "another process that stops is shown" if follows else "you stay where you are"
    ui.status.show_hint(f"{said}, unless this one is stopped" if follows else said)


def _next_living(family: ProcessTree, shown: object) -> ProcessInfo | None:
    """Return the next process in the tree, wrapping at the end."""
    living = [r for r in family if not r.is_over or r.session is shown]
    here = next((i for i, r in enumerate(living) if r.session is shown), -1)
    around = living[here + 1 :] + living[: max(here, 0)]
    return around[0] if around else None


def launch_program(ui: Context) -> None:
    ui.tuidbg.launching.launch()


def attach_to_program(ui: Context) -> None:
    ui.tuidbg.launching.attach()


def run_configuration(ui: Context) -> None:
    ui.tuidbg.launching.choose()
