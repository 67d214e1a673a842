"""Builds a session of what the command line asks for and runs a front end on it.

Front ends get what they need handed in here, so that they stay apart from each other and from the
command line.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tuidbg.adapters.client import DapLog
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.adapters.process import AdapterProcess
from tuidbg.adapters.profile import SourceProblem
from tuidbg.config.launch import DEMO, AttachPlan, LaunchRequest, Plan
from tuidbg.config.project import has_kept, project_folder
from tuidbg.config.settings import (
    RecentProgram,
    load_remembered,
    save_remembered,
    with_recent,
)
from tuidbg.config.user_config import config_folder, load_user_config
from tuidbg.guardian import Guardian
from tuidbg.session.errors import DebuggerError
from tuidbg.session.session import Session

if TYPE_CHECKING:
    from tuidbg.config.console_history import ConsoleHistory
    from tuidbg.keeping import Keeping
    from tuidbg.serving import RelaySwitch
    from tuidbg.tui.app import TuidbgApp
    from tuidbg.tui.bindings import KeyMap

SYNTAX_PATIENCE = 0.1
"""Seconds that the screen waits for the word that the program compiles; large ones take longer."""


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
) -> int:
    """Debug in the terminal; the exit status. What is started and not needed, the guardian ends.

    Raises LogNotOpened.
    """
    launcher = Launcher(asked, guardian, _open_log(asked), read_words)
    return asyncio.run(launcher.run(adapter))


def play_demo(asked: LaunchRequest, guardian: Guardian, adapter: AdapterProcess | None) -> int:
    """Play the demo as plain text; the exit status.

    Raises LogNotOpened.
    """
    from tuidbg.plain import play

    assert asked.plan is not None
    _collect_garbage()
    session = Session(asked.plan, DebugpyProfile(), guardian, dap_log=_open_log(asked))

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

    try:
        return asyncio.run(whole())
    except BrokenPipeError:  # as under `| head`: whoever read has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _open_log(asked: LaunchRequest) -> DapLog | None:
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
    ) -> None:
        self._asked = asked
        self._guardian = guardian
        self._log = log
        self._read_words = read_words
        self._remembered = load_remembered()
        self._config_folder = config_folder()
        self._config = load_user_config(self._config_folder)
        self._session: Session | None = None
        self._problem: SourceProblem | None = None
        self._app: TuidbgApp | None = None
        self._project: Path | None = None
        self._keeping: Keeping | None = None
        self._serving: RelaySwitch | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

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
                return 2
            return status
        finally:
            await self._close()

    async def _close(self) -> None:
        if self._app is not None and self._session is not None and self._project is not None:
            await self._keep(self._session, self._project)
        for problem in await self._keeping.close() if self._keeping is not None else ():
            print(f"tuidbg: {problem}", file=sys.stderr)
        if self._serving is not None:
            await self._serving.close()
        if self._session is not None:
            await self._session.close()

    def _begin(self, asked: LaunchRequest, process: AdapterProcess | None = None) -> Session:
        assert asked.plan is not None
        session = Session(asked.plan, DebugpyProfile(), self._guardian, dap_log=self._log)
        self._session = session
        if not asked.is_demo:
            self._project = project_folder(asked.plan.first_source, asked.plan.cwd)
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
        if self._project is not None and has_kept(self._project):
            await self._keep(session, self._project)
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
        if self._project is not None:
            await self._keep(session, self._project)
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
            from tuidbg.serving import RelaySwitch

            self._serving = RelaySwitch(
                read_serve_value(value), self._guardian, lambda: self._session
            )
        return self._serving

    async def _keep(self, session: Session, project: Path) -> None:
        """Restore what was kept and keep what changes; before the launch only if there is some."""
        if self._keeping is None:
            from tuidbg.keeping import Keeping

            self._keeping = Keeping(session, project)
            await self._keeping.restore()

    async def _check_syntax(self, session: Session) -> None:
        facts = await session.target_facts()
        if facts.problem is None or session is not self._session:
            return
        if self._app is not None and self._app.company is not None:
            session.notify(describe_problem(facts.problem), "error")  # others go on here
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
        from tuidbg.tui.theme import ThemeError, add_user_themes

        problems = [*self._config.problems, *add_user_themes(self._config_folder)]
        try:
            theme = choose_theme(self._asked.theme, self._remembered.theme)
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
        )
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            loop.add_signal_handler(number, app.exit, 128 + number)
        if self._session is not None:
            self._remember(self._session.plan)
        if not sys.stderr.isatty():
            # Textual paints on it, and `2>log` is meant for a log.
            setattr(sys, "__stderr__", sys.__stdout__)  # noqa: B010
        status = await app.run_async()
        self._save(app)
        if app.is_left_parked and self._serving is not None:
            await self._serving.stay_parked()
        return (app.return_code or 0) if status is None else status

    def _choose_key_map(self, problems: list[str]) -> KeyMap | None:
        """The key map to start with; what is wrong with the configured one goes to ``problems``.

        Raises ValueError with a sentence for one that was asked for and is not there.
        """
        asked, configured = self._asked.key_map, self._config.key_map
        if not (asked or configured or self._remembered.key_map or self._config.keys):
            return None
        from tuidbg.tui.keymaps import choose_key_map

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

    def _remember(self, plan: Plan) -> None:
        if isinstance(plan, AttachPlan):
            return
        if self._app is not None and plan.target != str(DEMO):
            program = RecentProgram(plan.kind.value, plan.target, plan.args, plan.cwd)
            self._app.remembered = with_recent(self._app.remembered, program)
            save_remembered(self._app.remembered)

    def _save(self, app: TuidbgApp) -> None:
        if app.remembered != self._remembered:
            save_remembered(app.remembered)


_PACE = {"MAX_FPS": ("TEXTUAL_FPS", 500), "ESCAPE_DELAY": ("ESCDELAY", 0.04)}
"""Textual's constants that tuidbg changes, with the variables by which a person decides instead.

60 frames a second would add 8 ms on average to each of the three repaints of a step. For a tenth of
a second after Esc the next key would be taken for a part of it.
"""


def _console_history() -> ConsoleHistory:
    """Of this run only where there is no home to keep it in."""
    from tuidbg.config.console_history import ConsoleHistory, history_file

    try:
        return ConsoleHistory(history_file())
    except (OSError, RuntimeError):
        return ConsoleHistory()


def _collect_garbage() -> None:
    """Collect garbage from now on, but none of what is there already."""
    gc.freeze()
    gc.enable()


def _import_app() -> None:
    """Import the user interface, with a quicker Textual.

    Not by the variables themselves: the program starts meanwhile and would inherit them.
    """
    constants = importlib.import_module("textual.constants")
    for name, (variable, value) in _PACE.items():
        if variable not in os.environ:
            setattr(constants, name, value)
    importlib.import_module("tuidbg.tui.app")


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
