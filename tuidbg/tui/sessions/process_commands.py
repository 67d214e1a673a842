"""The commands about the processes of a program: which of them is shown, and whether unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from tuidbg.tui.context import Context

if TYPE_CHECKING:
    from tuidbg.session.process_tree.family import Family, Relative
    from tuidbg.session.session import Session

ALONE = "the program has no other process that is debugged"


def note_processes(ui: Context) -> None:
    """The program has started another process: there are several sessions now."""
    if ui.session.family is not None:
        ui.tuidbg.watch_processes(ui.session.family)


def show_stopped(ui: Context) -> None:
    family = ui.session.family
    stopped = family.last_stopped(ui.session) if family is not None else None
    if stopped is not None:
        show_process(ui, stopped)
    else:
        ui.status.show_hint("no other process stands still", "warning")


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
    ui.status.show_hint(f"{said}, unless this one stands still" if follows else said)


def show_process(ui: Context, relative: Relative[Session]) -> None:
    """Turn to another process."""
    app = ui.tuidbg
    clients = app.ready_clients()
    member = clients.hub.find(relative.session) if clients is not None else None
    if member is not None:
        ui.app.call_later(app.show_session, member)


def _next_living(family: Family[Session], shown: object) -> Relative[Session] | None:
    """The one behind the shown one in the tree, round and round."""
    living = [r for r in family if not r.is_over or r.session is shown]
    here = next((i for i, r in enumerate(living) if r.session is shown), -1)
    around = living[here + 1 :] + living[: max(here, 0)]
    return around[0] if around else None
