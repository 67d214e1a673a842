"""The commands about programs that outlive the debugger: letting go of one, or ending it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.session.state import Status
from tuidbg.tui.pane_screen import PaneScreen
from tuidbg.tui.widgets.rows import visible

if TYPE_CHECKING:
    from tuidbg.session.sources.remote import Proposal

_ALIVE = (Status.LAUNCHING, Status.RUNNING, Status.PAUSED)


class AttachedCommands(PaneScreen, is_part=True):
    """Adds them to the screen."""

    def command_stop(self) -> None:
        session = self.session
        if session.waiting:
            self.run_command(session.lifecycle.stop)
        elif session.status not in _ALIVE:
            self.status.show_hint("no program runs", "warning")
        else:
            self._ask_to_stop()

    # Sources of a program that runs elsewhere

    def command_map_source(self) -> None:
        document = self.view.document
        if document is None:
            self.status.show_hint("no source is shown yet", "warning")
        elif not self.session.remote.is_elsewhere(document.key):
            self.status.show_hint("this file is here already", "warning")
        else:
            self.run_command(self._propose_mapping, document.key)

    async def _propose_mapping(self, path: str) -> None:
        proposal = await self.session.remote.propose(path)
        if proposal is None:
            where = visible(self.session.plan.cwd, 60)
            self.status.show_hint(f"no file in {where} is like it", "warning")
            return
        from tuidbg.tui.dialogs.choice import Choice, ChoiceDialog

        same = "the same text" if proposal.share == 1 else f"{proposal.share:.0%} of its lines"
        shown = self.view.shown_path(proposal.path)
        map_it = Choice("m", f"Take {proposal.local} for {proposal.remote}")
        choices = [map_it, Choice("s", "Show the program's own text")]

        def take(choice: str | None) -> None:
            if choice == "m":
                self.run_command(self._accept_mapping, proposal)

        title = visible(f"{shown} has {same}", 60)
        self.app.push_screen(ChoiceDialog(title, choices), take)

    async def _accept_mapping(self, proposal: Proposal) -> None:
        await self.session.remote.accept(proposal, origin="tui")
        self.status.show_hint(f"{proposal.remote} is {proposal.local} from now on")

    def _ask_to_stop(self) -> None:
        """An attached program can run on."""
        from tuidbg.tui.dialogs.choice import Choice, ChoiceDialog

        session = self.session
        end = Choice("e", "End it")
        choices = [end, Choice("s", "Stay")]
        if session.is_attached:
            choices.insert(0, Choice("d", "Detach: it runs on without the debugger"))

        def take(choice: str | None) -> None:
            if choice in ("d", "e"):
                kill = choice == "e" and session.is_attached
                self.run_command(session.lifecycle.stop, kill=kill)

        title = visible(session.plan.title, 40)
        self.app.push_screen(ChoiceDialog(f"What about {title}?", choices), take)
