"""Builds a session of what the command line asks for and runs a front end on it.

Front ends get what they need handed in here, so that they stay apart from each other and from the
command line.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import warnings
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tuidbg.adapters.client import DapLog
from tuidbg.adapters.process import AdapterProcess
from tuidbg.adapters.profile import SourceProblem
from tuidbg.adapters.table import profile_for
from tuidbg.cli.layouts import Layouts
from tuidbg.config.launch import (
    DEFAULT_ADAPTER,
    DEMO,
    AttachPlan,
    LaunchPlan,
    LaunchRequest,
    Plan,
    TargetKind,
)
from tuidbg.config.project import has_kept, project_of
from tuidbg.config.stores.remembered import (
    RecentAttachment,
    RecentProgram,
    load_remembered,
    save_remembered,
    with_attached,
    with_recent,
)
from tuidbg.config.user_config import config_folder, load_user_config
from tuidbg.process.guardian import Guardian
from tuidbg.process.leaving import Leaving
from tuidbg.process.lost_terminal import abandon_terminal, is_terminal_gone
from tuidbg.session.errors import DebuggerError
from tuidbg.session.session import Session

if TYPE_CHECKING:
    from tuidbg.cli.project_memory import Keeping
    from tuidbg.cli.serving import RelaySwitch
    from tuidbg.config.launch_json.workspace import Workspace
    from tuidbg.config.stores.console_history import ConsoleHistory
    from tuidbg.tui.app import TuidbgApp
    from tuidbg.tui.inline_terminal import HookedScreen
    from tuidbg.tui.keys.key_map import KeyMap

SYNTAX_PATIENCE = 0.1
"""Seconds that the screen waits for the word that the program compiles; large ones take longer."""


_LEAVING_LIMIT, _SHARED_LIMIT, _CLOSING_LIMIT = 3.0, 15.0, 5.0
"""Seconds in which the screen goes (one of sessions that others may share), and in which the
sessions end: far more than they take."""

COLLECT_AFTER = 2.0
"""Seconds without garbage collection from the start on: it would go through all that is imported
again and again, a fifth of the time until there is something to see."""

ReadWords = Callable[[list[str]], LaunchRequest]
"""Reads command-line words; raises ValueError with a sentence."""


def debug(
    asked: LaunchRequest,
    guardian: Guardian,
    read_words: ReadWords,
    adapter: AdapterProcess | None,
    hooked: HookedScreen | None = None,
) -> int:
    """Debug in the terminal; the exit status. What is started and not needed, the guardian ends.

    ``hooked`` is where a program has called for the debugger itself. Raises LogNotOpened.
    """
    launcher = Launcher(asked, guardian, open_log(asked), read_words, hooked)
    try:
        return asyncio.run(launcher.run(adapter))
    finally:
        launcher.leaving.done()


def play_demo(asked: LaunchRequest, guardian: Guardian, adapter: AdapterProcess | None) -> int:
    """Play the demo as plain text; the exit status.

    Raises LogNotOpened, BrokenPipeError.
    """
    from tuidbg.plain.demo import play

    assert asked.plan is not None
    _collect_garbage()
    session = Session(asked.plan, profile_for(asked.plan), guardian, dap_log=open_log(asked))

    async def whole() -> int:
        try:
            facts = await session.target_facts()
            if facts.problem is not None:
                print(describe_problem(facts.problem), file=sys.stderr)
                return 2
            return await play(session, asked.breakpoints, adapter)
        except DebuggerError as error:
            print(f"tuidbg: {error}", file=sys.stderr)
            return 1
        finally:
            await session.close()

    return asyncio.run(whole())


def debug_by_lines(asked: LaunchRequest, guardian: Guardian, adapter: AdapterProcess | None) -> int:
    """Debug with the commands of pdb, without a screen; the exit status. Raises LogNotOpened."""
    from tuidbg.cli.opening import Opening
    from tuidbg.plain.front import run

    _collect_garbage()
    for problem in (*load_user_config(config_folder()).problems, *asked.problems):
        print(f"tuidbg: {problem}", file=sys.stderr)
    opening = Opening(_for_lines(asked), guardian, open_log(asked))
    status = run(opening, adapter)
    if opening.problem is not None:
        print(describe_problem(opening.problem), file=sys.stderr)
        return 2
    return status


def _for_lines(asked: LaunchRequest) -> LaunchRequest:
    """Children run undebugged there, and the program's terminal can what ours can."""
    plan = asked.plan
    if isinstance(plan, LaunchPlan):
        env = {"TERM": os.environ.get("TERM", "dumb"), **plan.env}
        return replace(asked, plan=replace(plan, sub_process=False, env=env))
    if plan is None:
        return asked
    return replace(asked, plan=replace(plan, sub_process=False, reconnect=False))


def open_log(asked: LaunchRequest) -> DapLog | None:
    """The log of DAP messages, where one is wanted. Raises LogNotOpened."""
    try:
        return DapLog(Path(asked.dap_log)) if asked.dap_log else None
    except OSError as error:
        raise LogNotOpened(f"--dap-log: {error.strerror}: {asked.dap_log}") from None


class LogNotOpened(Exception):
    """The DAP log can't be written; ``str()`` is a sentence."""


class Launcher:
    """Starts the session while the user interface is imported, then runs the interface."""

    def __init__(
        self,
        asked: LaunchRequest,
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

    async def run(self, process: AdapterProcess | None) -> int:
        """Run to the end; the exit status."""
        asyncio.get_running_loop().call_later(COLLECT_AFTER, _collect_garbage)
        if self._asked.plan is not None:
            self._begin(self._asked, process)
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
            self.leaving.begin(_CLOSING_LIMIT)
            await self._close()

    async def _close(self) -> None:
        if self._app is not None and self._session is not None:
            await self._keep(self._session)
        told = [problem for each in self._keepings.values() for problem in await each.close()]
        for problem in dict.fromkeys(told):
            print(f"tuidbg: {problem}", file=sys.stderr)
        if self._serving is not None:
            await self._serving.close()
        if self._session is not None:
            await self._session.close()

    def _begin(self, asked: LaunchRequest, process: AdapterProcess | None = None) -> Session:
        assert asked.plan is not None
        session = Session(asked.plan, profile_for(asked.plan), self._guardian, dap_log=self._log)
        self._session = session
        if not asked.is_demo:
            self._projects[session] = project_of(asked.plan)
        if isinstance(asked.plan, LaunchPlan) and (why := asked.plan.python_from):
            session.write_output("console", f"Python: {asked.plan.python} ({why})\n")
        self._spawn(self._launch(session, asked, process))
        self._spawn(self._check_syntax(session))
        return session

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _launch(
        self, session: Session, asked: LaunchRequest, process: AdapterProcess | None
    ) -> None:
        if session in self._projects and has_kept(self._projects[session]):
            await self._keep(session)
        for wanted in asked.breakpoints:
            found = session.breakpoints.registry.find(wanted.path, wanted.line)
            if found is not None and found.enabled and not wanted.condition:
                continue  # one of another run stands there; it keeps what it was given then
            session.spawn(
                session.breakpoints.set(
                    wanted.path, wanted.line, condition=wanted.condition, origin="cli"
                )
            )
        try:
            await session.lifecycle.start(process)
        except DebuggerError:
            pass  # the session is `failed` and says why
        if asked.watch:
            session.autorestart.switch(True)
        await self._keep(session)
        if self._asked.serve is not None:
            await self._serve(session, self._asked.serve)

    async def _serve(self, session: Session, value: str) -> None:
        """Let other programs debug along, as the command line says; after the first picture."""
        try:
            switch = self._make_switch(value)
            switch.adopt(session)
            await switch.start()
            if self._app is not None:
                self._app.serve_by(switch)
        except DebuggerError as error:
            session.notify(f"Not serving: {error}.", "error")

    def _make_switch(self, value: str) -> RelaySwitch:
        """What opens the server. Raises BuildNotPossible."""
        if self._serving is None:
            from tuidbg.api.command_line import read_serve_value
            from tuidbg.cli.serving import RelaySwitch

            self._serving = RelaySwitch(
                read_serve_value(value), self._guardian, lambda: self._session
            )
        return self._serving

    async def _keep(self, session: Session) -> None:
        """Restore what was kept and keep what changes; before the launch only if there is some."""
        if session in self._projects and session not in self._keepings:
            from tuidbg.cli.project_memory import Keeping

            self._keepings[session] = Keeping(session, self._projects[session])
            await self._keepings[session].restore()

    async def _check_syntax(self, session: Session) -> None:
        facts = await session.target_facts()
        if facts.problem is None or session is not self._session:
            return
        is_later = session.plan is not self._asked.plan
        if self._app is not None and (is_later or self._app.company is not None):
            session.notify(describe_problem(facts.problem), "error")  # the person goes on here
            return
        self._problem = facts.problem
        if self._app is not None:
            self._app.exit(2)

    async def _wait_for_syntax(self) -> None:
        if self._session is not None:
            try:
                async with asyncio.timeout(SYNTAX_PATIENCE):
                    facts = await self._session.target_facts()
                    self._problem = facts.problem
            except TimeoutError:
                pass  # it is told as soon as it is known

    async def _run_app(self) -> int:
        from tuidbg.tui.app import TuidbgApp, choose_theme
        from tuidbg.tui.frame.theme import ThemeError, add_user_themes, resolve_theme

        problems = [*self._config.problems, *self._asked.problems]
        problems += add_user_themes(self._config_folder)
        configured = self._asked.default_theme
        if configured:
            try:
                resolve_theme(configured)
            except ThemeError as error:
                problems.append(str(error))
                configured = ""
        try:
            theme = choose_theme(self._asked.theme, configured or self._remembered.theme)
        except ThemeError as error:
            print(f"tuidbg: --theme: {error}", file=sys.stderr)
            return 2
        try:
            key_map = self._choose_key_map(problems)
        except ValueError as error:
            print(f"tuidbg: --keys: {error}", file=sys.stderr)
            return 2
        self._app = app = TuidbgApp(
            open_session=self._open_session,
            session=self._session,
            remembered=self._remembered,
            theme=theme,
            cwd=str(Path.cwd()),
            key_map=key_map,
            own_keys=self._config.keys,
            problems=problems,
            history=_console_history(),
            serving=self._serving,
            make_serving=lambda: self._make_switch(self._asked.serve or ""),
            layouts=Layouts(),
            open_requests=self._open_requests,
            find_workspace=self._find_workspace,
            offer=self._asked.offer,
        )
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            if self._hooked is None or number != signal.SIGINT:  # Ctrl+C is its program's
                loop.add_signal_handler(number, self._end, 128 + number)
        self._await_hangup(loop)
        if self._hooked is not None and self._session is not None:
            self._hooked.show(app, self._session)
        if self._session is not None:
            self._remember(self._session.plan)
        if not sys.stderr.isatty():
            # Textual paints on it, and `2>log` is meant for a log.
            setattr(sys, "__stderr__", sys.__stdout__)  # noqa: B010
        app.leaving = partial(self._begin_leaving, app)
        app.tell_terminal = self._guardian.tell_terminal
        status = await app.run_async()
        self.leaving.done()
        # Work of the screen that had not begun yet is not to be told on the person's terminal.
        warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
        if self._hooked is not None:
            await self._hooked.hand_back()
        self._save(app)
        if app.is_left_parked:
            await self._make_switch(self._asked.serve or "").stay_parked(self._ended)
            return 0
        status = (app.return_code or 0) if status is None else status
        return status or int(app.has_crashed)

    def _begin_leaving(self, app: TuidbgApp) -> None:
        limit = _LEAVING_LIMIT if self._serving is None else _SHARED_LIMIT
        self.leaving.begin(limit, app.abandon_terminal)

    def _end(self, status: int) -> None:
        """A signal asks for the end; also while the app is about to leave its sessions parked."""
        assert self._app is not None
        self._ended.set()
        self._app.exit(status)

    def _await_hangup(self, loop: asyncio.AbstractEventLoop) -> None:
        """Leave the screen when its terminal is gone; what others share stays, parked."""

        def hang_up(*_: object) -> None:
            # At once, and not in the loop: with a terminal that is gone it may wait for ever.
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
        """Whether somebody else than the person at this terminal counts on the sessions."""
        if self._serving is None:
            return self._asked.serve is not None  # it opens in a moment
        return self._serving.is_counted_on

    def _choose_key_map(self, problems: list[str]) -> KeyMap | None:
        """The key map to start with; what is wrong with the configured one goes to ``problems``.

        Raises ValueError with a sentence for one that was asked for and is not there.
        """
        asked, configured = self._asked.key_map, self._config.key_map
        if not (asked or configured or self._remembered.key_map or self._config.keys):
            return None
        from tuidbg.tui.keys.keymaps import choose_key_map

        remembered = self._remembered.key_map
        key_map, found = choose_key_map(asked, configured, remembered, self._config.keys)
        problems += found
        return key_map

    def _open_session(self, words: list[str], cwd: str) -> Session:
        """A new session of command-line words. Raises ValueError with a sentence."""
        os.chdir(cwd)
        asked = self._read_words(words)
        if asked.plan is None:
            raise ValueError("name a script, or -m and a module")
        session = self._begin(asked)
        self._remember(asked.plan)
        return session

    def _open_requests(
        self, requests: Sequence[LaunchRequest], stop_all: bool = False
    ) -> list[Session]:
        """New sessions of plans; several belong together."""
        sessions = [self._begin(requests[0])]
        if len(requests) > 1:
            from tuidbg.session.family.compound import Together

            together = Together(sessions[0], stop_all=stop_all)
            for request in requests[1:]:
                assert request.plan is not None
                profile = profile_for(request.plan)
                other = Session(request.plan, profile, self._guardian, dap_log=self._log)
                sessions.append(other)
                self._spawn(together.start(other))
            self._spawn(together.follow())
        for request in reversed(requests):
            if request.plan is not None:
                self._remember(request.plan)
        return sessions

    def _find_workspace(self) -> Workspace | None:
        """The launch.json of the current folder. Raises JsoncError."""
        from tuidbg.config.environments import find_environment
        from tuidbg.config.launch_json.workspace import Workspace
        from tuidbg.config.user_config import find_defaults

        if self._asked.offer is not None:
            return self._asked.offer.workspace
        folder = Path.cwd()
        defaults, _ = find_defaults(folder)
        python = find_environment(str(folder)).python
        return Workspace.find(cwd=folder, interpreter=python, defaults=defaults)

    def _remember(self, plan: Plan) -> None:
        if isinstance(plan, AttachPlan):
            self._remember_attached(plan)
        elif self._app is not None and plan.target != str(DEMO):
            adapter, options = _what_to_remember(plan)
            program = RecentProgram(
                plan.kind.value, plan.target, plan.args, plan.cwd, adapter, options
            )
            self._app.remembered = with_recent(self._app.remembered, program)
            save_remembered(self._app.remembered)

    def _remember_attached(self, plan: AttachPlan) -> None:
        if self._app is not None and plan.port is not None and not plan.is_child:
            mappings = tuple(plan.path_mappings.items())
            attachment = RecentAttachment(plan.host, plan.port, plan.listen, plan.ssh, mappings)
            self._app.remembered = with_attached(self._app.remembered, attachment)
            save_remembered(self._app.remembered)

    def _save(self, app: TuidbgApp) -> None:
        if app.remembered != self._remembered:
            save_remembered(app.remembered)


def _what_to_remember(plan: LaunchPlan) -> tuple[str, tuple[str, ...]]:
    """The adapter and its options, as far as they would not be found again."""
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


def _console_history() -> ConsoleHistory:
    """Of this run only where there is no home to keep it in."""
    from tuidbg.config.stores.console_history import ConsoleHistory, history_file

    try:
        return ConsoleHistory(history_file())
    except (OSError, RuntimeError):
        return ConsoleHistory()


def _import_app() -> None:
    from tuidbg.tui.drivers.textual_settings import import_app

    import_app()


def _collect_garbage() -> None:
    """Collect garbage from now on, but none of what is there already."""
    gc.freeze()
    gc.enable()


def describe_problem(problem: SourceProblem) -> str:
    """Why the program can't be run, for stderr: for syntax with file, line, text and caret."""
    from unicodedata import east_asian_width

    if not problem.line:
        place = f"{problem.path}: " if problem.path else ""
        return _without_controls(f"tuidbg: {place}{problem.message}")
    text = problem.text.rstrip()
    indent = len(text) - len(text.lstrip())
    lines = [f"tuidbg: {problem.path}:{problem.line}: {problem.message}"]
    if text:
        before = text[indent : max(indent, problem.column - 1)]
        blank = "".join("\u3000" if east_asian_width(c) in "WF" else " " for c in before)
        lines += [f"    {text[indent:]}", f"    {blank}^"]
    return "\n".join(map(_without_controls, lines))


def _without_controls(line: str) -> str:
    """A file may hold anything; its control characters are not for the terminal."""
    return "".join(c if c.isprintable() or c == "\u3000" else " " for c in line)
