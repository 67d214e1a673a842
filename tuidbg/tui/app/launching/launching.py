"""The launch and attach workflow: the forms, the list of launch.json, the questions.

A launch.json configuration runs in this order: the user trusts the file, reads the notes on ignored
settings, answers the inputs; then the sessions are created. Esc cancels at any point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tuidbg.config.launch import Plan
from tuidbg.config.launch_json.jsonc import JsoncError
from tuidbg.config.launch_json.workspace import ConfigurationError, Prepared, Unanswered, Workspace
from tuidbg.config.request import ScreenChoice, StartupRequest
from tuidbg.session.model.errors import DebuggerError
from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.app.start.screen import StartScreen

if TYPE_CHECKING:
    from tuidbg.config.launch_json.variables import VariableQuestion
    from tuidbg.session.core.session import Session
    from tuidbg.tui.app.app import TuidbgApp

NO_FILE = "there is no .vscode/launch.json here or in a folder above"
ONE_SESSION = "this tuidbg shows one session; start another tuidbg for more"


class OpenRequests(Protocol):
    """Creates and starts sessions; with ``stop_all`` they end together."""

    def __call__(
        self, requests: Sequence[StartupRequest], stop_all: bool = False
    ) -> list[Session]: ...


class _PendingRun(NamedTuple):
    """The pending run, and the function that creates its requests."""

    workspace: Workspace
    name: str
    finish: Callable[[Plan], StartupRequest]


def _plain_request(plan: Plan) -> StartupRequest:
    return StartupRequest(plan=plan)


class Launching:
    """The dialogs for new sessions of an app."""

    def __init__(
        self,
        app: TuidbgApp,
        cwd: str,
        open_requests: OpenRequests | None,
        find_workspace: Callable[[], Workspace | None] | None,
    ) -> None:
        self._app = app
        self._cwd = cwd
        self._open_requests = open_requests
        self._find_workspace = find_workspace
        self._finish: Callable[[Plan], StartupRequest] = _plain_request
        self._not_kept = ""
        """Why the trust is limited to this run; empty if it is saved."""

    # User actions

    def take_up(self, offer: ScreenChoice) -> None:
        """Handle the configuration named on the command line, or let the user choose."""
        self._finish = offer.finish
        if offer.name:
            self.run(offer.workspace, offer.name)
        else:
            self._choose_from(offer.workspace)

    def choose(self) -> None:
        """Let the user choose from launch.json."""
        if (workspace := self._look_for_workspace()) is not None:
            self._choose_from(workspace)

    def look(self) -> Workspace | None:
        """Read the launch.json; blocks for a moment. Raises JsoncError, OSError."""
        return self._find_workspace() if self._find_workspace is not None else None

    def launch(self) -> None:
        """Show the launch form."""
        from tuidbg.tui.app.launching.launch import LaunchDialog

        workspace = self._look_quietly()
        dialog = LaunchDialog(self._app.remembered.recent, workspace, self._cwd)
        self._app.push_screen(dialog, partial(self._take, workspace))

    def attach(self) -> None:
        """Show the attach form."""
        from tuidbg.tui.app.launching.attach import AttachDialog

        workspace = self._look_quietly()
        dialog = AttachDialog(self._app.remembered.attached, workspace, self._cwd)
        self._app.push_screen(dialog, partial(self._take, workspace))

    def _take(self, workspace: Workspace | None, taken: Plan | str | None) -> None:
        """Run the result of a form: a plan, or the name of a configuration."""
        if isinstance(taken, str):
            if workspace is not None:
                self.run(workspace, taken)
        elif taken is not None and (problem := self._open_plan(taken)):
            self.say(problem)

    def _look_quietly(self) -> Workspace | None:
        """Read the launch.json without error reports, for lists beside a form."""
        try:
            return self.look()
        except (JsoncError, OSError):
            return None

    def run(self, workspace: Workspace, name: str) -> None:
        """Run a configuration or compound after the necessary questions."""
        run = _PendingRun(workspace, name, self._finish)
        self._app.run_worker(self._run(run), group="launching", exclusive=True)

    # launch.json

    def _look_for_workspace(self) -> Workspace | None:
        try:
            workspace = self.look()
        except (JsoncError, OSError) as error:
            self.say(str(error))
            return None
        if workspace is None:
            self.say(NO_FILE)
        return workspace

    def _choose_from(self, workspace: Workspace) -> None:
        from tuidbg.tui.app.launching.configurations import ConfigurationsDialog

        def take(name: str | None) -> None:
            if name is not None:
                self.run(workspace, name)

        self._app.push_screen(ConfigurationsDialog(workspace), take)

    async def _run(self, run: _PendingRun) -> None:
        try:
            if not await self._agree(run):
                return
            prepared = await self._answer(run)
            if prepared is None:
                return
            told = await self._read_notes(run, prepared)
            if told:
                self._open(run, prepared)
        except ConfigurationError as error:
            self.say(str(error))

    async def _agree(self, run: _PendingRun) -> bool:
        """Return whether the user trusts the file in its present state; ask if necessary."""
        workspace, name = run.workspace, run.name
        if workspace.is_agreed(name):
            return True
        from tuidbg.tui.app.launching.configurations import AgreementDialog

        preview = workspace.preview(name)
        dialog = AgreementDialog(name, str(workspace.file.path), preview)
        if not await self._app.push_screen_wait(dialog):
            return False
        self._not_kept = workspace.agree(name)
        workspace.note_read(name, preview.notes)
        return True

    async def _answer(self, run: _PendingRun) -> Prepared | None:
        """Return the plans; None if the user cancels an input."""
        answers: dict[str, str] = {}
        while True:
            try:
                return run.workspace.prepare(run.name, answers)
            except Unanswered as error:
                answer = await self._ask(error.question)
                if answer is None:
                    return None
                answers[error.question.id] = answer

    async def _ask(self, question: VariableQuestion) -> str | None:
        if question.kind == "process":
            from tuidbg.adapters.table import attach_obstacle
            from tuidbg.tui.app.launching.attach import ProcessesDialog

            process = await self._app.push_screen_wait(ProcessesDialog(attach_obstacle))
            return str(process.pid) if process is not None else None
        from tuidbg.tui.app.launching.configurations import OptionsDialog, QuestionDialog

        if question.kind == "choice":
            return await self._app.push_screen_wait(OptionsDialog(question))
        return await self._app.push_screen_wait(QuestionDialog(question, self._cwd))

    async def _read_notes(self, run: _PendingRun, prepared: Prepared) -> bool:
        """Show unread notes on ignored settings; return whether the user continues."""
        unread = run.workspace.unread(run.name, prepared.notes)
        if not unread:
            return True
        from tuidbg.tui.app.launching.configurations import NotesDialog

        if not await self._app.push_screen_wait(NotesDialog(run.name, unread)):
            return False
        run.workspace.note_read(run.name, prepared.notes)
        return True

    def _open(self, run: _PendingRun, prepared: Prepared) -> None:
        try:
            requests = [run.finish(plan) for plan in prepared.plans]
        except ValueError as error:
            self.say(str(error))
            return
        problem = self._open_all(requests, prepared.names, prepared.stop_all)
        if problem:
            self.say(problem)
            return
        session = self._app.session
        notes = [f"{run.name}: {note}." for note in prepared.notes]
        for note in filter(None, (self._not_kept, *run.workspace.file.problems, *notes)):
            if session is not None:
                session.notify(note, "warning")

    # Sessions

    def _open_plan(self, plan: Plan) -> str:
        """Open a plan's session on the screen; return a sentence on failure."""
        return self._open_all([StartupRequest(plan=plan)], (), stop_all=False)

    def _open_all(
        self, requests: Sequence[StartupRequest], names: Sequence[str], stop_all: bool
    ) -> str:
        app = self._app
        if self._open_requests is None:
            return ONE_SESSION
        if app.session is not None or len(requests) > 1:
            try:
                if app.ready_clients() is None:
                    return ONE_SESSION
            except DebuggerError as error:
                return str(error)
        first, *others = self._open_requests(requests, stop_all)
        if app.clients is not None:
            for session, name in zip((first, *others), names, strict=bool(names)):
                member = app.clients.hub.adopt(session, name=name, origin="tui")
                member.is_parked = bool(others)  # only one of them is visible at a time
        app.show_new(first)
        if others:
            shown = ", ".join(names)
            first.notify(f"{len(requests)} sessions are started: {shown}; Sessions lists them")
        return ""

    def say(self, text: str) -> None:
        """Report an error on the present screen."""
        screen = self._app.screen
        if isinstance(screen, StartScreen):
            screen.say(text)
        elif isinstance(screen, DebugScreen):
            screen.status.show_hint(text, "warning")
        else:
            self._app.notify(text, severity="warning")
