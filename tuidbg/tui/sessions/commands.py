"""The commands about whoever shares the session: the server, the agents, the other sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tuidbg.session.errors import DebuggerError
from tuidbg.session.state import Status
from tuidbg.tui.pane_screen import PaneScreen

if TYPE_CHECKING:
    from tuidbg.session.project.build import Build
    from tuidbg.tui.app import TuidbgApp
    from tuidbg.tui.sessions.activity import ActivityPane
    from tuidbg.tui.sessions.clients import Clients
    from tuidbg.tui.sessions.log import LogPane

TAKEN_OVER = "a person has taken over"
"""Why programs may only look, as they are told it."""


class RelayCommands(PaneScreen, is_part=True):
    """Adds them to the screen; all that they need is imported when it is wanted."""

    @property
    def _tuidbg(self) -> TuidbgApp:
        return cast("TuidbgApp", self.app)

    def _with_company(self) -> Clients | None:
        """Whoever shares the session; a hint where nobody can."""
        try:
            company = self._tuidbg.ready_company()
        except DebuggerError as error:
            self.status.show_hint(str(error), "error")
            return None
        if company is None:
            self.status.show_hint("this tuidbg has one session and serves no programs", "warning")
        return company

    # The server

    def command_serve(self) -> None:
        if why := self.reasons.get("serve"):
            self.status.show_hint(why, "warning")
        else:
            self.run_in_background("serve", self._switch_serving)

    async def _switch_serving(self) -> None:
        serving, company = self._tuidbg.ready_serving(), self._tuidbg.ready_company()
        if serving is None or company is None:
            self.status.show_hint("this tuidbg can't serve programs", "warning")
            return
        if serving.status is not None:
            await serving.stop()
            self.status.show_hint("no program can reach this session any more")
        else:
            served = await serving.start()
            token = f"; the token is in {served.token_file}" if served.token_file else ""
            self.status.show_hint(f"programs reach this session at {served.address}{token}")
        company.refresh()

    # The agents

    def command_hold_agents(self) -> None:
        if (company := self._with_company()) is None:
            return
        if company.hub.held is None:
            company.hub.hold()
            self.status.show_hint("programs may only look now" + self._way_back())
        else:
            company.hub.hand_back()
            self.status.show_hint("programs may act again")

    def command_take_over(self) -> None:
        if (company := self._with_company()) is None:
            return
        company.hub.hold(TAKEN_OVER)
        if self.session.status is Status.RUNNING:
            self.run_command(self.session.execution.pause, origin="tui")
        self.status.show_hint("the controls are yours" + self._way_back())

    def _way_back(self) -> str:
        return self.key_map.tell("hold_agents", "hands them back")

    # Sessions

    def command_show_sessions(self) -> None:
        from tuidbg.tui.sessions.dialog import SessionsDialog

        if (company := self._with_company()) is not None:
            self.app.push_screen(SessionsDialog(company), self._tuidbg.obey_sessions)

    def command_park_session(self) -> None:
        if (company := self._with_company()) is None or company.member is None:
            return
        member = company.member
        member.is_parked = not member.is_parked
        said = "is parked: it stays until somebody ends it" if member.is_parked else "may expire"
        self.status.show_hint(f"{member.name} {said}")

    # The build

    def command_build(self) -> None:
        try:
            serving = self._tuidbg.ready_serving()
        except DebuggerError as error:
            self.status.show_hint(str(error), "error")
            return
        build = serving.build if serving is not None else None
        if build is None:
            why = "there is no build command; start tuidbg with --build-cmd"
            self.status.show_hint(why, "warning")
        elif build.is_running:
            build.cancel()
        else:
            self.run_command(self._build, build)

    async def _build(self, build: Build) -> None:
        session = self.session
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

    def command_about(self) -> None:
        from tuidbg.tui.frame.about import AboutDialog

        serving = self._tuidbg.serving
        status = serving.status if serving is not None else None
        self.app.push_screen(AboutDialog(self.session, status))

    def command_show_adapters(self) -> None:
        from tuidbg.tui.launching.adapters import AdaptersDialog

        self.app.push_screen(AdaptersDialog(self.session.profile.name))

    def on_activity_pane_call_chosen(self, event: ActivityPane.CallChosen) -> None:
        """Show all of a call."""
        from tuidbg.tui.sessions.activity import describe_call, who

        self._read(event.call.action, who(event.call), describe_call(event.call))

    def on_log_pane_line_chosen(self, event: LogPane.LineChosen) -> None:
        """Show all of a line of the log."""
        self._read(event.line.component, event.line.level.lower(), str(event.line))

    def _read(self, name: str, kind: str, text: str) -> None:
        from tuidbg.session.values.types import FullText
        from tuidbg.tui.dialogs.pager import PagerDialog

        async def fetch(how: str) -> FullText:
            return FullText(text, len(text))

        def copy(copied: str) -> None:
            self.run_in_background("copy", self._copy_text, copied)

        self.app.push_screen(PagerDialog(name, kind, fetch, copy))

    async def _copy_text(self, text: str) -> None:
        from tuidbg.tui.drivers.clipboard import TooLong, copy_text, environment_of

        try:
            await copy_text(text, self.app.copy_to_clipboard, environment_of(self.app))
        except TooLong as error:
            self.status.show_hint(str(error), "warning")
        else:
            self.status.show_hint(f"copied {len(text):,} characters")
