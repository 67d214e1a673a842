"""The commands about the processes of a program: which of them is shown, and whether unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import msgspec

from tuidbg.tui.pane_screen import PaneScreen

if TYPE_CHECKING:
    from tuidbg.session.family.family import Family, Relative
    from tuidbg.session.session import Session
    from tuidbg.tui.app import TuidbgApp

ALONE = "the program has no other process that is debugged"


class ProcessCommands(PaneScreen, is_part=True):
    """Adds them to the screen."""

    def note_processes(self) -> None:
        """The program has started another process: there are several sessions now."""
        if self.session.family is not None:
            cast("TuidbgApp", self.app).watch_processes(self.session.family)

    def command_show_stopped(self) -> None:
        family = self.session.family
        stopped = family.last_stopped(self.session) if family is not None else None
        if stopped is not None:
            self._show_process(stopped)
        else:
            self.status.show_hint("no other process stands still", "warning")

    def command_next_process(self) -> None:
        family = self.session.family
        following = _next_living(family, self.session) if family is not None else None
        if following is not None:
            self._show_process(following)
        else:
            self.status.show_hint(ALONE, "warning")

    def command_follow_stops(self) -> None:
        app = cast("TuidbgApp", self.app)
        follows = not app.remembered.follow_stops
        app.remembered = msgspec.structs.replace(app.remembered, follow_stops=follows)
        said = "another process that stops is shown" if follows else "you stay where you are"
        self.status.show_hint(f"{said}, unless this one stands still" if follows else said)

    def _show_process(self, relative: Relative[Session]) -> None:
        app = cast("TuidbgApp", self.app)
        company = app.ready_company()
        member = company.hub.find(relative.session) if company is not None else None
        if member is not None:
            app.call_later(app.show_session, member)


def _next_living(family: Family[Session], shown: object) -> Relative[Session] | None:
    """The one behind the shown one in the tree, round and round."""
    living = [r for r in family if not r.is_over or r.session is shown]
    here = next((i for i, r in enumerate(living) if r.session is shown), -1)
    around = living[here + 1 :] + living[: max(here, 0)]
    return around[0] if around else None
