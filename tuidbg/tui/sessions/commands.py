"""The commands about whoever shares the session: the server, the agents, the other sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.session.errors import DebuggerError
from tuidbg.session.state import Status
from tuidbg.tui.context import Context
from tuidbg.tui.wording import characters

if TYPE_CHECKING:
    from tuidbg.session.project.build import Build
    from tuidbg.tui.sessions.activity import ActivityPane
    from tuidbg.tui.sessions.clients import Clients
    from tuidbg.tui.sessions.log import LogPane

TAKEN_OVER = "a person has taken over"
"""Tells why programs may only look, as they are told it."""


def _with_clients(ui: Context) -> Clients | None:
    """Whoever shares the session; a hint where nobody can."""
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
    """Returns why this tuidbg can't serve programs here; empty if it may."""
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
    from tuidbg.tui.sessions.dialog import SessionsDialog

    if (clients := _with_clients(ui)) is not None:
        ui.app.push_screen(SessionsDialog(clients), ui.tuidbg.obey_sessions)


def park_session(ui: Context) -> None:
    if (clients := _with_clients(ui)) is None or clients.member is None:
        return
    member = clients.member
    member.is_parked = not member.is_parked
    said = "is parked: it stays until somebody ends it" if member.is_parked else "may expire"
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


async def _build(ui: Context, build: Build) -> None:
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


# What there is to read


def show_about(ui: Context) -> None:
    from tuidbg.tui.frame.about import AboutDialog

    serving = ui.tuidbg.serving
    status = serving.status if serving is not None else None
    ui.app.push_screen(AboutDialog(ui.session, status))


def show_adapters(ui: Context) -> None:
    from tuidbg.tui.launching.adapters import AdaptersDialog

    ui.app.push_screen(AdaptersDialog(ui.session.profile.name))


def call_chosen(ui: Context, event: ActivityPane.CallChosen) -> None:
    """Show all of a call."""
    from tuidbg.tui.sessions.activity import describe_call, who

    _read(ui, event.call.action, who(event.call), describe_call(event.call))


def line_chosen(ui: Context, event: LogPane.LineChosen) -> None:
    """Show all of a line of the log."""
    _read(ui, event.line.component, event.line.level.lower(), str(event.line))


def _read(ui: Context, name: str, kind: str, text: str) -> None:
    from tuidbg.session.values.types import FullText
    from tuidbg.tui.dialogs.pager import PagerDialog

    async def fetch(how: str) -> FullText:
        return FullText(text, len(text))

    def copy(copied: str) -> None:
        ui.run_in_background("copy", _copy_text, ui, copied)

    ui.app.push_screen(PagerDialog(name, kind, fetch, copy))


async def _copy_text(ui: Context, text: str) -> None:
    from tuidbg.tui.drivers.clipboard import TooLong, copy_text, environment_of

    try:
        await copy_text(text, ui.app.copy_to_clipboard, environment_of(ui.app))
    except TooLong as error:
        ui.status.show_hint(str(error), "warning")
    else:
        ui.status.show_hint(f"copied {characters(len(text))}")
