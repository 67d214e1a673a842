"""The handshake: from the initialize request to a configured and running program.

Adapters disagree about the order of the launch response and the ``initialized`` event, so neither
is awaited before the other: whichever comes first, a failure included, advances the handshake (DAP
"Launching and attaching"; the order each adapter really keeps is in the tests).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from tuidbg.adapters.client import DEFAULT_TIMEOUT
from tuidbg.adapters.errors import AdapterError
from tuidbg.config.launch import AttachPlan, LaunchPlan, Plan
from tuidbg.dap.types import EvaluateBody, Nothing
from tuidbg.session.core.breakpoints.binding.files import FOR_EACH
from tuidbg.session.core.connect.attaching import is_dialled
from tuidbg.session.core.evaluation.implicit_resume import own_question
from tuidbg.session.core.feature import hooks
from tuidbg.session.model.state import Status

if TYPE_CHECKING:
    from tuidbg.adapters.client import AdapterClient
    from tuidbg.adapters.traits import SourceFacts
    from tuidbg.session.core.run.opening import AdapterOpening
    from tuidbg.session.core.session import Session

MANY = 2000
"""Number of breakpoints that take long enough to report it."""

_NO_ENTRY = "the debug adapter can't stop this program on entry"


class Handshake:
    """The exchange with the adapter until the program runs."""

    def __init__(self, session: Session, opening: AdapterOpening) -> None:
        self._session = session
        self._opening = opening
        self.initialized = asyncio.Event()
        """Set when the adapter accepts breakpoints."""
        self.waits_for_entry = False
        """The program has not reached its first stop, set by tuidbg itself, yet."""
        self.configuring: Callable[[], Awaitable[None]] | None = None
        """An additional configuration: the program runs when this has returned."""
        self.awaits = ""
        """The event being awaited, for the message of a timeout."""

    def reset(self) -> None:
        """Reset for a new run."""
        self.initialized = asyncio.Event()
        self.awaits = "for its adapter to come up"

    async def lead(
        self, client: AdapterClient, plan: Plan, on_progress: Callable[[float], None]
    ) -> None:
        """Launch or attach, and configure; ``on_progress`` gets the seconds for the next part.

        It gets 0 for the usual number. Raises AdapterError, OSError.
        """
        session = self._session
        self.awaits = "for the adapter's greeting"
        target = await self._meet(client, plan)
        await self._learn_target(plan, target)
        if isinstance(plan, LaunchPlan):
            # Time a busy machine took for the initialize request is not deducted from the
            # program's.
            on_progress(session.profile.launch.patience)
        self.awaits = "for the program to be ready for breakpoints"
        command, arguments = self._compose(plan, target)
        begin: asyncio.Task[Nothing] = asyncio.create_task(
            client.request(command, arguments, timeout=None)
        )
        initialized = asyncio.create_task(self.initialized.wait())
        signs: set[asyncio.Task[Any]] = {begin, initialized}
        try:
            done, _ = await asyncio.wait(signs, return_when=asyncio.FIRST_COMPLETED)
            for sign in done:
                sign.result()
            await initialized
            session.note_waiting("")
            on_progress(0)
            self.awaits = "for the breakpoints to be taken"
            await self._configure(client, plan, target, on_progress)
            self.awaits = "for the program to run"
            await begin
        finally:
            session.note_waiting("")
            for sign in signs:
                sign.cancel()
        if session.terminal is not None:
            session.terminal.let_go()
        if session.status is Status.LAUNCHING:
            session.move_to(Status.RUNNING)

    async def _meet(self, client: AdapterClient, plan: Plan) -> SourceFacts:
        session = self._session
        if isinstance(plan, AttachPlan) and is_dialled(plan):  # greeted when it was reached
            return await session.facts.of_target()
        _, target = await asyncio.gather(self._opening.greet(client), session.facts.of_target())
        return target

    async def _learn_target(self, plan: Plan, target: SourceFacts) -> None:
        """Store the facts about the program. Raises AdapterError if it can't be run."""
        session = self._session
        if target.path:
            session.running_sources.take(target.path)
        if not plan.is_child:
            session.sources.target = target.path
            session.sources.own_folder = session.profile.sources.own_folder(plan)
        if folders := await session.profile.sources.library_folders(plan):
            session.sources.learn_roots(folders)
        if (problem := target.problem) is not None and not problem.path and not plan.is_child:
            raise AdapterError(problem.message)  # no usable interpreter

    def _compose(self, plan: Plan, target: SourceFacts) -> tuple[str, dict[str, Any]]:
        """Return the initial request, and its arguments."""
        session = self._session
        sources, arguments = session.sources, dict[str, Any]()
        begun = plan.configuration if isinstance(plan, AttachPlan) else {}
        if session.adapter.root_line is not None and not begun:
            begun = session.adapter.root_line.configuration
        if isinstance(plan, AttachPlan):
            command, arguments = "attach", session.profile.attach.arguments(plan)
            if plan.pid is not None:
                session.note_waiting(f"waiting for {plan.title}")
        elif begun:
            command, arguments = "launch", dict(begun)
        else:
            arguments = session.profile.launch.arguments(plan, target, self._opening.tty)
            command = "launch"
            session.note_waiting(session.profile.launch.preparing(plan))
        command = begun.get("request", command)
        arguments |= session.profile.sources.arguments(
            sources.just_my_code, sources.render(), sources.render_mappings()
        )
        if session.processes.incoming is not None:
            session.processes.incoming.configuration = dict(arguments)
        return command, arguments

    async def _configure(
        self,
        client: AdapterClient,
        plan: Plan,
        target: SourceFacts,
        allow_time: Callable[[float], None],
    ) -> None:
        session = self._session
        session.adapter.is_configurable = not session.is_post_mortem
        if session.is_post_mortem:
            if self.configuring is not None:
                await self.configuring()
            await client.request("configurationDone")
            return
        entry = None
        tuning: asyncio.Task[None] | None = None
        if isinstance(plan, AttachPlan):
            await self._tune(client, session.profile.attach.tuning)
        else:  # beside the rest
            tuning = session.spawn(self._tune(client, session.profile.launch.tuning))
            entry = session.profile.launch.entry_line(plan, target)
            session.breakpoints.plan_entry(session.profile.launch.entry_functions(plan))
        if entry is not None:
            session.breakpoints.plan_temporary(target.path or plan.target, entry)
        if session.breakpoints.has_temporary:
            self.waits_for_entry = True
        if (count := len(session.breakpoints.registry)) >= MANY:
            session.note_waiting(f"setting {count:,} breakpoints")
            allow_time(2 * DEFAULT_TIMEOUT + count * FOR_EACH)
        await session.breakpoints.synchronise_all()
        if count >= MANY:
            session.note_waiting("")
            allow_time(0)
        if self.waits_for_entry and not session.breakpoints.has_temporary:
            self.waits_for_entry = False
            session.notify(_NO_ENTRY, "warning")
        await session.exceptions.synchronise()
        if self.configuring is not None:
            if (limit := self._opening.limit) is not None:
                limit.reschedule(None)
            await self.configuring()
            allow_time(0)
        if tuning is not None:
            await tuning
        if isinstance(plan, LaunchPlan):
            expression = session.profile.launch.entry_expression(plan, target)
            await self._stop_on_entry(client, expression)
        for act in hooks.before_run:
            await act(session)
        if client.connection.allows("configurationDone"):
            await client.request("configurationDone")

    async def _stop_on_entry(self, client: AdapterClient, expression: str) -> None:
        """Have the program stop on entry by itself, if there is a way."""
        if expression:
            try:
                body = await client.request("evaluate", own_question(expression), into=EvaluateBody)
            except AdapterError:
                body = None
            if body is None or body.result not in ("", "None"):  # it is the raised error
                self._session.notify(_NO_ENTRY, "warning")

    async def _tune(self, client: AdapterClient, tuning: str) -> None:
        """Make the program's side fast; a failure is harmless."""
        if tuning:
            try:
                body = await client.request("evaluate", own_question(tuning), into=EvaluateBody)
            except AdapterError:
                return
            self._report_misfits(body.result)

    def _report_misfits(self, answer: str) -> None:
        """Report the tuning's result; for a child process its parent has reported it."""
        session = self._session
        inside, plan = session.profile.inside, session.plan
        sentence = inside.read(answer).decode("utf-8", "replace") if inside is not None else ""
        is_child = isinstance(plan, AttachPlan) and bool(plan.configuration)
        if not is_child:
            session.probe.report_misfits(sentence)
