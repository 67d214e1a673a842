"""The launcher: makes a session for a request and runs a front end on it.

It passes all dependencies to the front ends, so that they stay independent of each other and of the
command line.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import warnings
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.adapters.client import DapLog
from tuidbg.adapters.table import profile_for
from tuidbg.adapters.traits import SourceProblem
from tuidbg.cli.arguments import complain
from tuidbg.cli.start import close, closing_limit, collect_garbage, describe_problem, open_log
from tuidbg.config.launch import DEFAULT_ADAPTER, DEMO, AttachPlan, LaunchPlan, Plan, TargetKind
from tuidbg.config.project import has_kept, layout_file, project_of
from tuidbg.config.request import StartupRequest
from tuidbg.config.stores.breakpoint_store import ProjectStore
from tuidbg.config.stores.layout_store import SavedLayout, load_layout, save_layout
from tuidbg.config.stores.remembered import (
    RecentAttachment,
    RecentProgram,
    Remembered,
    load_remembered,
    save_remembered,
    with_attached,
    with_recent,
)
from tuidbg.config.stores.watch_store import WatchStore
from tuidbg.config.user_config import config_folder, load_user_config
from tuidbg.process.exit_deadline import Leaving
from tuidbg.process.guardian import Guardian
from tuidbg.process.terminals import abandon_terminal, is_terminal_gone
from tuidbg.session.core.breakpoints.persistence import Persistence
from tuidbg.session.core.session import Session
from tuidbg.session.core.values.watches import KeptWatches
from tuidbg.session.model.errors import DebuggerError

if TYPE_CHECKING:
    from tuidbg.cli.serving import RelaySwitch
    from tuidbg.config.launch_json.workspace import Workspace
    from tuidbg.config.stores.console_history import ConsoleHistory
    from tuidbg.tui.app.app import TuidbgApp
    from tuidbg.tui.app.inline_terminal import HookedScreen
    from tuidbg.tui.toolkit.keys.key_map import KeyMap


class Layouts:
    """``LayoutMemory`` in the user's state folder; the demo's layout is always the same."""

    def load(self, session: Session) -> SavedLayout | None:
        file = _file_of(session)
        if file is None:
            return None
        layout, problem = load_layout(file)
        if problem:
            session.notify(problem, "warning")
        return layout

    def save(self, session: Session, layout: SavedLayout) -> None:
        if (file := _file_of(session)) is not None:
            save_layout(file, layout)


def _file_of(session: Session) -> Path | None:
    if session.plan.target == str(DEMO):
        return None
    try:
        return layout_file(project_of(session.plan))
    except (OSError, RuntimeError):  # no home
        return None


class Keeping:
    """The stored state of a project, for one session."""

    def __init__(self, session: Session, project: Path) -> None:
        self._kept = (
            Persistence(session, ProjectStore(project)),
            KeptWatches(session, WatchStore(project, program_of(session, project))),
        )

    async def restore(self) -> None:
        """Restore the stored state, and store its changes from now on."""
        for each in self._kept:
            await each.restore()

    async def close(self) -> list[str]:
        """Save unsaved changes; return a sentence for each failure."""
        return [problem for each in self._kept if (problem := await each.close())]


def program_of(session: Session, project: Path) -> str:
    """Return a session's program name in its project, stable across runs.

    That is a script's path in the project, a module, a binary; for a running program its name.
    """
    plan = session.plan
    if isinstance(plan, AttachPlan):
        if plan.core or plan.pid is None:
            return plan.program or plan.title
        return session.profile.attach.program_of(plan.pid) or _binary_of(plan.pid)
    if not Path(plan.target).is_absolute() or plan.is_command:
        return plan.title
    path = os.path.relpath(plan.target, project)
    return plan.target if path.startswith(os.pardir) else path


def _binary_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/exe").readlink().name
    except OSError:
        return "a process"


def with_plan(remembered: Remembered, plan: Plan) -> Remembered | None:
    """Add a plan to the recent ones; None if it can't be run again."""
    if isinstance(plan, LaunchPlan):
        if plan.target == str(DEMO):
            return None
        adapter, options = what_to_remember(plan)
        program = RecentProgram(plan.kind.value, plan.target, plan.args, plan.cwd, adapter, options)
        return with_recent(remembered, program)
    if plan.port is None or plan.is_child:
        return None
    mappings = tuple(plan.path_mappings.items())
    attachment = RecentAttachment(plan.host, plan.port, plan.listen, plan.ssh, mappings)
    return with_attached(remembered, attachment)


def what_to_remember(plan: LaunchPlan) -> tuple[str, tuple[str, ...]]:
    """Return the adapter and its options, unless they would be detected again."""
    from msgspec import json

    from tuidbg.adapters.table import choose_adapter

    adapter, known = DEFAULT_ADAPTER, dict[str, Any]()
    if plan.kind is TargetKind.SCRIPT:
        adapter, known = choose_adapter(Path(plan.target))
    options = tuple(
        f"{key}={json.encode(value).decode()}"
        for key, value in plan.options.items()
        if key not in known or known[key] != value
    )
    return "" if adapter == plan.adapter else plan.adapter, options


def console_history() -> ConsoleHistory:
    """Return the history; without a home, for this run only."""
    from tuidbg.config.stores.console_history import ConsoleHistory, history_file

    try:
        return ConsoleHistory(history_file())
    except (OSError, RuntimeError):
        return ConsoleHistory()


FEW_COLORS = (
    "This terminal announces 256 colours at most. If it has true colour, set COLORTERM=truecolor"
    " here (ssh does not pass it on; see tuidbg help start)."
)


def tell_of_colors(remembered: Remembered, problems: list[str]) -> Remembered:
    """Report once, in ``problems``, that a terminal may have more colours than it announces.

    Returns the state to remember.
    """
    from tuidbg.tui.toolkit.drivers.renderer.capabilities import announces_less

    if "colors" in remembered.told or not announces_less(os.environ):
        return remembered
    problems.append(FEW_COLORS)
    return msgspec.structs.replace(remembered, told=(*remembered.told, "colors"))


def start_theme(asked: StartupRequest, remembered: Remembered, problems: list[str]) -> str:
    """Return the theme to start with; an unknown configured one is reported in ``problems``.

    Raises ThemeError for an unknown requested one.
    """
    from tuidbg.tui.toolkit.theme.theme import ThemeError, choose_theme, resolve_theme

    configured = asked.default_theme
    if configured:
        try:
            resolve_theme(configured)
        except ThemeError as error:
            problems.append(str(error))
            configured = ""
    return choose_theme(asked.theme, configured or remembered.theme)


SYNTAX_PATIENCE = 0.1
"""Seconds the screen waits for the syntax check; large programs take longer."""


_LEAVING_LIMIT, _SHARED_LIMIT = 3.0, 15.0
"""Seconds to close the screen (one of shared sessions): far more than it takes."""

COLLECT_AFTER = 2.0
"""Seconds without garbage collection from the start on.

Collections would scan all imported objects again and again, a fifth of the time to the first
screen.
"""

ReadWords = Callable[[list[str]], StartupRequest]
"""Parses command-line words; raises ValueError with a sentence."""


def debug(
    asked: StartupRequest,
    guardian: Guardian,
    read_words: ReadWords,
    hooked: HookedScreen | None = None,
) -> int:
    """Debug in the terminal; return the exit status.

    ``hooked`` is the screen of a program that called the debugger itself. Raises LogNotOpened.
    """
    launcher = SessionLauncher(asked, guardian, open_log(asked), read_words, hooked)
    try:
        return asyncio.run(launcher.run(), debug=False)
    finally:
        launcher.leaving.done()


class SessionLauncher:
    """Starts the session while the user interface is imported, then runs the interface."""

    def __init__(
        self,
        asked: StartupRequest,
        guardian: Guardian,
        log: DapLog | None,
        read_words: ReadWords,
        hooked: HookedScreen | None = None,
    ) -> None:
        self._asked = asked
        self._hooked = hooked
        self._guardian = guardian
        self._log = log
        self._read_words = read_words
        self._remembered = load_remembered()
        self._config_folder = config_folder()
        self._config = load_user_config(self._config_folder)
        self._session: Session | None = None
        self._problem: SourceProblem | None = None
        self._app: TuidbgApp | None = None
        self._projects: dict[Session, Path] = {}
        self._keepings: dict[Session, Keeping] = {}
        self._serving: RelaySwitch | None = None
        self._ended = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()
        self.leaving = Leaving()

    async def run(self) -> int:
        """Run to the end; return the exit status."""
        asyncio.get_running_loop().call_later(COLLECT_AFTER, collect_garbage)
        if self._asked.plan is not None:
            self._begin(self._asked)
        try:
            await asyncio.to_thread(_import_app)
            await self._wait_for_syntax()
            if self._problem is None:
                status = await self._run_app()
            if self._problem is not None:
                print(describe_problem(self._problem), file=sys.stderr)
                status = 2
            self.leaving.status = status
            return status
        finally:
            self.leaving.begin(closing_limit(self._session))
            await self._close()

    async def _close(self) -> None:
        if self._app is not None and self._session is not None:
            await self._keep(self._session)
        told = [problem for each in self._keepings.values() for problem in await each.close()]
        for problem in dict.fromkeys(told):
            complain(problem)
        if self._serving is not None:
            await self._serving.close()
        if self._session is not None:
            await close(self._session)
        # The terminal is the shell's again: a late Ctrl+C must not make this exit look like a
        # failure.
        asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _begin(self, asked: StartupRequest) -> Session:
        assert asked.plan is not None
        session = Session(asked.plan, profile_for(asked.plan), self._guardian, dap_log=self._log)
        self._session = session
        if asked.is_kept:
            self._projects[session] = project_of(asked.plan)
        if isinstance(asked.plan, LaunchPlan) and asked.plan.python_from:
            session.write_output("console", f"Python: {asked.plan.interpreter}\n")
        self._spawn(self._launch(session, asked))
        self._spawn(self._check_syntax(session))
        return session

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _launch(self, session: Session, asked: StartupRequest) -> None:
        if session in self._projects and has_kept(self._projects[session]):
            await self._keep(session)
        for wanted in asked.breakpoints:
            found = session.breakpoints.registry.find(wanted.path, wanted.line)
            if found is not None and found.enabled and not wanted.condition:
                continue  # an earlier run's breakpoint there keeps its settings
            made = session.breakpoints.set(
                wanted.path, wanted.line, condition=wanted.condition, origin="cli"
            )
            session.spawn(made)
        if asked.watch:
            from tuidbg.session.features.autorestart import AutoRestart

            AutoRestart.of(session).switch(True)
        try:
            await session.lifecycle.start()
        except DebuggerError:
            pass  # the session is `failed` and has the reason
        await self._keep(session)
        if self._asked.serve is not None:
            await self._serve(session, self._asked.serve)

    async def _serve(self, session: Session, value: str) -> None:
        """Start the server of ``--serve``, after the first paint."""
        try:
            switch = self._make_switch(value)
            switch.adopt(session)
            await switch.start()
            if self._app is not None:
                self._app.serve_by(switch)
        except DebuggerError as error:
            session.notify(f"Not serving: {error}.", "error")

    def _make_switch(self, value: str) -> RelaySwitch:
        """Return the switch of the server, made at the first call. Raises BuildNotPossible."""
        if self._serving is None:
            from tuidbg.api.options import read_serve_value
            from tuidbg.cli.serving import RelaySwitch

            self._serving = RelaySwitch(
                read_serve_value(value), self._guardian, lambda: self._session
            )
        return self._serving

    async def _keep(self, session: Session) -> None:
        """Restore stored state and store changes; before the launch only if there is some."""
        if session in self._projects and session not in self._keepings:
            self._keepings[session] = Keeping(session, self._projects[session])
            await self._keepings[session].restore()

    async def _check_syntax(self, session: Session) -> None:
        facts = await session.facts.of_target()
        if facts.problem is None or session is not self._session:
            return
        is_later = session.plan is not self._asked.plan
        if self._app is not None and (is_later or self._app.clients is not None):
            session.notify(describe_problem(facts.problem), "error")  # the user goes on here
            return
        self._problem = facts.problem
        if self._app is not None:
            self._app.exit(2)

    async def _wait_for_syntax(self) -> None:
        if self._session is not None:
            try:
                async with asyncio.timeout(SYNTAX_PATIENCE):
                    facts = await self._session.facts.of_target()
                    self._problem = facts.problem
            except TimeoutError:
                pass  # reported as soon as it is known

    async def _run_app(self) -> int:
        from tuidbg.tui.app.app import TuidbgApp
        from tuidbg.tui.toolkit.theme.theme import ThemeError, add_user_themes

        problems = [*self._config.problems, *self._asked.problems]
        problems += add_user_themes(self._config_folder)
        try:
            theme = start_theme(self._asked, self._remembered, problems)
        except ThemeError as error:
            complain(f"--theme: {error}")
            return 2
        try:
            key_map = self._choose_key_map(problems)
        except ValueError as error:
            complain(f"--keys: {error}")
            return 2
        self._app = app = TuidbgApp(
            open_session=self._open_session,
            session=self._session,
            remembered=tell_of_colors(self._remembered, problems),
            theme=theme,
            cwd=str(Path.cwd()),
            key_map=key_map,
            own_keys=self._config.keys,
            problems=problems,
            history=console_history(),
            serving=self._serving,
            make_serving=lambda: self._make_switch(self._asked.serve or ""),
            layouts=Layouts(),
            open_requests=self._open_requests,
            find_workspace=self._find_workspace,
            offer=self._asked.offer,
            given=self._asked.given,
        )
        self._prepare(app)
        status = await app.run_async()
        self.leaving.done()
        # Warnings about the screen's unstarted tasks are not for the user's terminal.
        warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
        if self._hooked is not None:
            await self._hooked.hand_back()
        self._save(app)
        if app.is_left_parked:
            await self._make_switch(self._asked.serve or "").stay_parked(self._ended)
            return 0
        status = (app.return_code or 0) if status is None else status
        return status or int(app.has_crashed)

    def _prepare(self, app: TuidbgApp) -> None:
        """Install signal handlers and terminal reports to the guardian, before painting."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            if self._hooked is None or number != signal.SIGINT:  # Ctrl+C is the program's
                loop.add_signal_handler(number, self._end, 128 + number)
        self._await_hangup(loop)
        if self._hooked is not None and self._session is not None:
            self._hooked.show(app, self._session)
        if self._session is not None:
            self._remember(self._session.plan)
        if not sys.stderr.isatty():
            # Textual paints on it, and `2>log` is for a log.
            setattr(sys, "__stderr__", sys.__stdout__)  # noqa: B010
        app.leaving = partial(self._begin_leaving, app)
        app.tell_terminal = self._guardian.tell_terminal

    def _begin_leaving(self, app: TuidbgApp) -> None:
        limit = _LEAVING_LIMIT if self._serving is None else _SHARED_LIMIT
        self.leaving.begin(limit, app.abandon_terminal)

    def _end(self, status: int) -> None:
        """Handle a termination signal, also while the app is about to leave its sessions parked."""
        assert self._app is not None
        self._ended.set()
        self._app.exit(status)

    def _await_hangup(self, loop: asyncio.AbstractEventLoop) -> None:
        """Exit when the terminal is gone; shared sessions are parked."""

        def hang_up(*_: object) -> None:
            # At once, and not in the loop, which may block forever on a terminal that is gone.
            if is_terminal_gone():
                abandon_terminal()
            loop.call_soon_threadsafe(self._leave_hung_up)

        signal.signal(signal.SIGHUP, hang_up)

    def _leave_hung_up(self) -> None:
        assert self._app is not None
        if self._hooked is None and self._is_shared():
            self._app.is_left_parked = True
            self._app.exit(0)
        else:
            self._app.exit(128 + signal.SIGHUP)

    def _is_shared(self) -> bool:
        """Whether other users or programs rely on the sessions."""
        if self._serving is None:
            return self._asked.serve is not None  # the server starts in a moment
        return self._serving.is_counted_on

    def _choose_key_map(self, problems: list[str]) -> KeyMap | None:
        """Return the key map to start with; errors in the configured one go to ``problems``.

        Raises ValueError with a sentence for an unknown requested one.
        """
        asked, configured = self._asked.key_map, self._config.key_map
        if not (asked or configured or self._remembered.key_map or self._config.keys):
            return None
        from tuidbg.tui.app.keys.keymaps import choose_key_map

        remembered = self._remembered.key_map
        key_map, found = choose_key_map(asked, configured, remembered, self._config.keys)
        problems += found
        return key_map

    def _open_session(self, words: list[str], cwd: str) -> Session:
        """Start a session from command-line words. Raises ValueError with a sentence."""
        os.chdir(cwd)
        asked = self._read_words(words)
        if asked.plan is None:
            raise ValueError("name a script, or -m and a module")
        session = self._begin(asked)
        self._remember(asked.plan)
        return session

    def _open_requests(
        self, requests: Sequence[StartupRequest], stop_all: bool = False
    ) -> list[Session]:
        """Start sessions of plans; several form a compound."""
        sessions = [self._begin(requests[0])]
        if len(requests) > 1:
            from tuidbg.session.core.process_tree.compound import CompoundSession

            compound = CompoundSession(sessions[0], stop_all=stop_all)
            for request in requests[1:]:
                assert request.plan is not None
                profile = profile_for(request.plan)
                other = Session(request.plan, profile, self._guardian, dap_log=self._log)
                sessions.append(other)
                self._spawn(compound.start(other))
            self._spawn(compound.follow())
        for request in reversed(requests):
            if request.plan is not None:
                self._remember(request.plan)
        return sessions

    def _find_workspace(self) -> Workspace | None:
        """Find the launch.json of the current folder. Raises JsoncError."""
        from tuidbg.cli.plan_defaults import find_workspace

        return find_workspace() if self._asked.offer is None else self._asked.offer.workspace

    def _remember(self, plan: Plan) -> None:
        if self._app is not None and (found := with_plan(self._app.remembered, plan)) is not None:
            self._app.remembered = found
            save_remembered(found)

    def _save(self, app: TuidbgApp) -> None:
        if app.remembered != self._remembered:
            save_remembered(app.remembered)


def _import_app() -> None:
    from tuidbg.tui.toolkit.drivers.textual_settings import import_app

    import_app()
