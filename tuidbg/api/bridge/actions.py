"""Does what each action of the bridge says: a few lines over the core, on the current session.

``ACTIONS`` is the one list: the router serves what stands there, and ``document_actions`` writes
the table of the manual from it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from tuidbg.adapters.process import Guard, LocalGuard
from tuidbg.api.bridge.rendering import (
    Payload,
    render_frame,
    render_outcome,
    render_variable,
    render_watch,
)
from tuidbg.api.bridge.schema import Command, CommandRefused
from tuidbg.api.gate.caller import Caller, Scope
from tuidbg.api.operations import table
from tuidbg.api.operations.operation import Operation
from tuidbg.api.operations.views import view_failure, view_output, view_result
from tuidbg.config.launch import LaunchPlan
from tuidbg.config.project import project_of
from tuidbg.session.errors import (
    EvaluationAbandoned,
    EvaluationCancelled,
    EvaluationFailed,
    InvalidSetting,
)
from tuidbg.session.execution import Resume
from tuidbg.session.hub import Hub
from tuidbg.session.project.build import Build
from tuidbg.session.serving.members import Member
from tuidbg.session.session import Session
from tuidbg.session.sources.file_names import find_file
from tuidbg.session.stack.focus import STACK_LIMIT, Focus
from tuidbg.session.state import BreakpointStatus, Status, Variable

ORIGIN = "bridge"

PATIENCE = 30.0
"""Seconds that a stop or an expression may take to come."""


class BridgeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Holds what the server may do. ``build_cmd`` is one line (``project/build.py``).

    ``folder`` is where it is built while there is no session, ``patience`` in seconds.
    """

    manage_bridge: bool = False
    build_cmd: str = ""
    folder: str = ""
    guard: Guard | None = None
    patience: float = PATIENCE


class Actions:
    """The actions of one server."""

    def __init__(self, hub: Hub, options: BridgeOptions) -> None:
        self._hub = hub
        self._options = options
        self._focuses: WeakKeyDictionary[Session, dict[str, Focus]] = WeakKeyDictionary()
        guard = options.guard or LocalGuard()
        self._build = Build(options.build_cmd, guard=guard) if options.build_cmd else None

    async def run(self, command: Command, caller: Caller) -> Payload:
        """Do it; what is answered beside ``ok``. Raises DebuggerError."""
        return await ACTIONS[command.action].run(self, command, caller)

    # Whom it is about

    def _member(self) -> Member:
        member = self._hub.current
        if member is None:
            raise CommandRefused("there is no session; start one first")
        return self._hub.use(member.id)

    def _focus(self, caller: Caller) -> tuple[Member, Focus]:
        """The current session, and the thread of it that this caller looks at."""
        member = self._member()
        focuses = self._focuses.setdefault(member.session, {})
        if caller.actor not in focuses:
            focuses[caller.actor] = Focus(member.session)
        return member, focuses[caller.actor]

    # Looking

    async def stacktrace(self, command: Command, caller: Caller) -> Payload:
        member, focus = self._focus(caller)
        stack = await table.READ_STACK(member, focus.chosen, count=STACK_LIMIT)
        rows = [render_frame(frame) for frame in stack.frames]
        return {"stacktrace": rows, "total_frames": stack.total}

    async def threads(self, command: Command, caller: Caller) -> Payload:
        member, focus = self._focus(caller)
        found = await table.LIST_THREADS(member)
        selected = focus.thread_id if found.stop is not None else focus.chosen
        rows = [{"id": t.id, "name": t.name, "selected": t.id == selected} for t in found.threads]
        return {"threads": rows}

    async def locals(self, command: Command, caller: Caller) -> Payload:
        return {"locals": await self._locals(caller)}

    async def _locals(self, caller: Caller) -> list[Payload]:
        member, focus = self._focus(caller)
        scopes = await member.session.values.look((await focus.frame()).id, {})
        if not scopes:
            return []
        return await self._variables(member, scopes[0].variable.reference, caller)

    async def scopes(self, command: Command, caller: Caller) -> Payload:
        member, focus = self._focus(caller)
        found = await member.session.values.look((await focus.frame()).id, {})
        scopes = [(scope.variable.name, scope.variable.reference) for scope in found]
        return {"scopes": [{"name": name, "variablesReference": ref} for name, ref in scopes]}

    async def variables(self, command: Command, caller: Caller) -> Payload:
        reference = command.variables_reference
        if reference is None:
            return {"variables": await self._locals(caller)}
        return {"variables": await self._variables(self._member(), reference, caller)}

    async def _variables(self, member: Member, reference: int, caller: Caller) -> list[Payload]:
        found = await table.READ_VARIABLES(member, reference)
        return [render_variable(variable) for variable in found.variables]

    # Running

    async def continue_(self, command: Command, caller: Caller) -> Payload:
        return await self._go(Resume.CONTINUE, caller)

    async def next(self, command: Command, caller: Caller) -> Payload:
        return await self._go(Resume.STEP_OVER, caller)

    async def step_in(self, command: Command, caller: Caller) -> Payload:
        return await self._go(Resume.STEP_IN, caller)

    async def _go(self, how: Resume, caller: Caller) -> Payload:
        """Answers at the next stop or the end; without a stop where the program runs on."""
        member, focus = self._focus(caller)
        patience, thread = self._options.patience, focus.chosen
        outcome = await table.STEP(member, how, thread_id=thread, timeout=patience, origin=ORIGIN)
        return render_outcome(member, outcome)

    async def disconnect(self, command: Command, caller: Caller) -> Payload:
        if (member := self._hub.current) is not None:
            await table.END_SESSION(self._hub, member, origin=ORIGIN)
        return {}

    async def select_thread(self, command: Command, caller: Caller) -> Payload:
        _, focus = self._focus(caller)
        assert command.thread_id is not None
        await table.SELECT_THREAD(focus, command.thread_id)
        return {"threadId": command.thread_id}

    # Breakpoints

    async def set_breakpoint(self, command: Command, caller: Caller) -> Payload:
        """One that can't stop there is refused, with the reason; it is not kept."""
        session = self._member().session
        assert command.file is not None and command.line is not None
        path, line = await find_file(session, command.file), command.line
        setting = session.breakpoints.set(path, line, origin=ORIGIN, enabled=True)
        found = await table.SET_BREAKPOINT(session, setting, origin=ORIGIN)
        if found.status is BreakpointStatus.REFUSED:
            raise CommandRefused(f"{Path(path).name}:{line} can't be bound: {found.message}")
        is_set = found.status is BreakpointStatus.SET
        return {"breakpoint_id": found.number, "verified": is_set, "file": path, "line": line}

    # Expressions

    async def evaluate(self, command: Command, caller: Caller) -> Payload:
        member, focus = self._focus(caller)
        expression, patience = command.expression or "", self._options.patience
        frame = await focus.frame()
        try:
            found = await member.session.evaluation.evaluate(expression, frame.id, timeout=patience)
        except (EvaluationCancelled, EvaluationAbandoned) as error:
            raise CommandRefused(f"it took over {patience:g} s: {error}") from None
        except EvaluationFailed as error:
            raise _not_supported(expression, view_failure(str(error))) from None
        text, kind = found.text or "None", found.type or "NoneType"
        seen = view_result(expression, Variable(name=expression, value=text, type=kind))
        return {"result": seen.value, "type": kind}

    async def watch_expr(self, command: Command, caller: Caller) -> Payload:
        member, focus = self._focus(caller)
        expression, watches = command.expression or "", member.session.watches
        frame = await focus.frame()
        try:
            watches.add(expression, origin=ORIGIN)
        except InvalidSetting as error:
            raise _not_supported(expression, str(error)) from None
        results = await table.WATCH(watches, frame.id, compared=False)
        return {"watch": [render_watch(result) for result in results]}

    # Starting

    async def restart(self, command: Command, caller: Caller) -> Payload:
        """Brings back a session whose program has ended or whose adapter died."""
        self._must_manage("restart")
        member = self._member()
        if member.program is None and not member.session.is_attached:
            raise CommandRefused("there is no program to restart")
        await table.RESTART(member.session.lifecycle)
        return await self._begun(member)

    async def launch(self, command: Command, caller: Caller) -> Payload:
        self._must_manage("launch")
        member = self._member()
        session = member.session
        if session.status in (Status.LAUNCHING, Status.RUNNING, Status.PAUSED):
            raise CommandRefused("the program runs already; restart begins it afresh")
        plan = member.program
        if plan is None:
            raise CommandRefused("there is no program to launch; the session was made without one")
        if session.status is Status.CREATED and isinstance(plan, LaunchPlan):
            await table.LAUNCH(self._hub, member, plan, origin="rest")
        else:
            await table.RESTART(session.lifecycle)
        return await self._begun(member)

    def _must_manage(self, action: str) -> None:
        if not self._options.manage_bridge:
            raise CommandRefused(f"{action} requires --manage-bridge")

    async def _begun(self, member: Member) -> Payload:
        """One that stops at its entry is waited for; any other runs."""
        if not member.session.plan.stop_on_entry:
            return {"status": member.session.status}
        return render_outcome(
            member, await member.control.wait_for_stop(timeout=self._options.patience)
        )

    async def build(self, command: Command, caller: Caller) -> Payload:
        """Answers ``ok:false`` where the command fails, with all it has to say."""
        if self._build is None:
            raise CommandRefused("build command not configured")
        result = await table.BUILD(self._build, self._folder())
        return {
            "ok": result.exit_code == 0,
            "exitCode": result.exit_code,
            "stdout": view_output(result.stdout),
            "stderr": view_output(result.stderr),
        }

    def _folder(self) -> str:
        """The current session's project."""
        if (member := self._hub.current) is None:
            return self._options.folder or str(Path.cwd())
        plan = member.session.plan
        return str(project_of(plan))


def _not_supported(expression: str, why: str) -> CommandRefused:
    return CommandRefused(f"expression `{expression}` is not supported", why)


class Action(msgspec.Struct, frozen=True):
    """One action: its operation and function, the fields it needs, what it answers besides ok."""

    operation: Operation[..., Any]
    run: Callable[[Actions, Command, Caller], Awaitable[Payload]]
    needs: tuple[str, ...]
    answers: str
    manages: bool = False
    """Only with ``--manage-bridge``."""

    @property
    def scope(self) -> Scope:
        """What its token must allow."""
        return self.operation.scope


_WHERE = "status, stop: {reason, description, thread_id}"
_VARIABLES = "[{name, type, value, variablesReference}]"

ACTIONS: dict[str, Action] = {
    "stacktrace": Action(
        table.READ_STACK,
        Actions.stacktrace,
        (),
        "stacktrace: [{frame_index, function, file, line}]",
    ),
    "threads": Action(table.LIST_THREADS, Actions.threads, (), "threads: [{id, name, selected}]"),
    "locals": Action(table.READ_VARIABLES, Actions.locals, (), f"locals: {_VARIABLES}"),
    "scopes": Action(table.READ_SCOPES, Actions.scopes, (), "scopes: [{name, variablesReference}]"),
    "variables": Action(
        table.READ_VARIABLES,
        Actions.variables,
        (),
        f"variables: {_VARIABLES} of variablesReference, or the locals",
    ),
    "continue": Action(table.STEP, Actions.continue_, (), _WHERE),
    "next": Action(table.STEP, Actions.next, (), _WHERE),
    "step_in": Action(table.STEP, Actions.step_in, (), _WHERE),
    "disconnect": Action(table.END_SESSION, Actions.disconnect, (), ""),
    "set_breakpoint": Action(
        table.SET_BREAKPOINT, Actions.set_breakpoint, ("file", "line"), "breakpoint_id"
    ),
    "evaluate": Action(table.EVALUATE, Actions.evaluate, ("expression",), "result, type"),
    "evaluate_swift": Action(
        table.EVALUATE, Actions.evaluate, ("expression",), "result, type; as evaluate"
    ),
    "watch_expr": Action(
        table.WATCH, Actions.watch_expr, ("expression",), "watch: [{expression, result}]"
    ),
    "restart": Action(table.RESTART, Actions.restart, (), "status, stop", manages=True),
    "launch": Action(table.LAUNCH, Actions.launch, (), "status, stop", manages=True),
    "select_thread": Action(table.SELECT_THREAD, Actions.select_thread, ("threadId",), "threadId"),
    "build": Action(table.BUILD, Actions.build, (), "exitCode, stdout, stderr"),
}
"""The 17 actions of the bridge, by their names."""


def document_actions() -> str:
    """The table of the actions for the manual, in Markdown."""
    rows = ["| Action | Needs | Answers, beside `ok` | Scope |", "|---|---|---|---|"]
    for name, action in ACTIONS.items():
        needs = ", ".join(f"`{field}`" for field in action.needs)
        if action.manages:
            needs = "`--manage-bridge`"
        elif name == "build":
            needs = "`--build-cmd`"
        answers = f"`{action.answers}`" if action.answers else ""
        rows.append(f"| `{name}` | {needs} | {answers} | {action.scope} |")
    return "\n".join(rows)
