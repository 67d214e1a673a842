"""The commands about programs that outlive the debugger: letting go of one, or ending it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.session.state import Status
from tuidbg.tui.context import Context
from tuidbg.tui.widgets.rows import visible

if TYPE_CHECKING:
    from tuidbg.session.sources.remote import Proposal

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


# Sources of a program that runs elsewhere


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
    from tuidbg.tui.dialogs.choice import Choice, ChoiceDialog

    same = "the same text" if proposal.share == 1 else f"{proposal.share:.0%} of its lines"
    shown = ui.view.shown_path(proposal.path)
    map_it = Choice("m", f"Take {proposal.local} for {proposal.remote}")
    choices = [map_it, Choice("s", "Show the program's own text")]

    def take(choice: str | None) -> None:
        if choice == "m":
            ui.run_command(_accept_mapping, ui, proposal)

    title = visible(f"{shown} has {same}", 60)
    ui.app.push_screen(ChoiceDialog(title, choices), take)


async def _accept_mapping(ui: Context, proposal: Proposal) -> None:
    await ui.session.remote.accept(proposal, origin="tui")
    ui.status.show_hint(f"{proposal.remote} is {proposal.local} from now on")


def _ask_to_release(ui: Context, connected: int) -> None:
    """Ask what is to become of the processes that have connected: none can be called back."""
    from tuidbg.tui.dialogs.choice import Choice, ChoiceDialog

    session = ui.session
    them = "it" if connected == 1 else "them"
    runs = "it runs" if connected == 1 else "all run"
    choices = [
        Choice("d", f"Detach: {runs} on without the debugger"),
        Choice("e", f"End {them}"),
        Choice("s", "Stay"),
    ]

    def take(choice: str | None) -> None:
        if choice in ("d", "e"):
            ui.run_command(session.lifecycle.stop, kill=choice == "e")

    processes = "process is" if connected == 1 else "processes are"
    title = f"{connected} {processes} connected. Stop listening?"
    ui.app.push_screen(ChoiceDialog(title, choices), take)


def _ask_to_stop(ui: Context) -> None:
    """Ask what is to become of the program: an attached one can run on."""
    from tuidbg.tui.dialogs.choice import Choice, ChoiceDialog

    session = ui.session
    end = Choice("e", "End it")
    choices = [end, Choice("s", "Stay")]
    if session.is_attached:
        choices.insert(0, Choice("d", "Detach: it runs on without the debugger"))

    def take(choice: str | None) -> None:
        if choice in ("d", "e"):
            kill = choice == "e" and session.is_attached
            ui.run_command(session.lifecycle.stop, kill=kill)

    title = visible(session.plan.title, 40)
    ui.app.push_screen(ChoiceDialog(f"What about {title}?", choices), take)
