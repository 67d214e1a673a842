"""The actions of the bridge: a few lines over the core each, on the current session.

``ACTIONS`` is the one list: the router serves its entries, and ``document_actions`` writes the
manual's table from it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any
from weakref import WeakKeyDictionary

import msgspec

from tuidbg.adapters.process import Guard, LocalGuard
from tuidbg.api.auth.callers import Caller, TokenScope
from tuidbg.api.operations import table
from tuidbg.api.operations.operation import Operation
from tuidbg.api.operations.views import (
    StopView,
    view_expression,
    view_failure,
    view_frame,
    view_output,
    view_result,
    view_stop,
    view_variable,
)
from tuidbg.config.launch import LaunchPlan
from tuidbg.config.project import project_of
from tuidbg.session.core.control import StepResult
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.session import Session
from tuidbg.session.core.sources.files import find_file
from tuidbg.session.core.stack.focus import STACK_LIMIT, CallerFocus
from tuidbg.session.core.values.watches import WatchResult
from tuidbg.session.features.build import ProjectBuild
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.errors import (
    DebuggerError,
    EvaluationAbandoned,
    EvaluationCancelled,
    EvaluationFailed,
    InvalidSetting,
)
from tuidbg.session.model.state import BreakpointStatus, Frame, Status, Variable


class CommandRefused(DebuggerError):
    """An invalid or currently impossible call; ``str()`` gives the reason.

    ``reason`` adds the details that a fixed text leaves out.
    """

    def __init__(self, sentence: str, reason: str = "") -> None:
        super().__init__(sentence)
        self.reason = reason


_Number = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]


class BridgeCommand(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One call. Fields that the action does not use are ignored."""

    action: str
    file: str | None = None
    line: _Number | None = None
    expression: str | None = None
    variables_reference: _Number | None = None
    thread_id: _Number | None = None

    @property
    def text(self) -> str:
        """The arguments in one line."""
        given = msgspec.to_builtins(self)
        return " ".join(
            f"{name}={value}"
            for name, value in given.items()
            if value is not None and name != "action"
        )


_OTHER_SPELLINGS = {"variables_reference": "variablesReference", "thread_id": "threadId"}
"""The document's spelling, and the one that clients of its reference server send; both are valid.
"""


def read_command(body: bytes, actions: Mapping[str, Sequence[str]]) -> BridgeCommand:
    """Decode a call; ``actions`` maps each action to its required fields. Raises CommandRefused."""
    try:
        given = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise CommandRefused("the body is no JSON") from None
    if not isinstance(given, dict):
        raise CommandRefused("the body must be one JSON object")
    if given.get("action") is None:
        raise CommandRefused(f"action is missing; it is one of {', '.join(actions)}")
    try:
        command = msgspec.convert(_with_one_spelling(given), BridgeCommand)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        field = where.rstrip("`")
        raise CommandRefused(f"{field}: {what.lower()}" if field else what) from None
    if command.action not in actions:
        name = command.action[:40]
        raise CommandRefused(f"there is no action {name!r}; it is one of {', '.join(actions)}")
    _check_fields(command, actions[command.action])
    return command


def _with_one_spelling(given: dict[str, Any]) -> dict[str, Any]:
    found = dict(given)
    for other, name in _OTHER_SPELLINGS.items():
        if other in found:
            value = found.pop(other)
            found.setdefault(name, value)
    return found


def _check_fields(command: BridgeCommand, needs: Sequence[str]) -> None:
    values = msgspec.to_builtins(command)
    for name in needs:
        value = values.get(name)
        if value is None or (isinstance(value, str) and not value.strip()):
            raise CommandRefused(f"{command.action} needs {name}")


Payload = dict[str, Any]


def render_frame(frame: Frame) -> Payload:
    """Render a stack frame."""
    seen = view_frame(frame)
    place = seen.place
    return {
        "frame_index": seen.index,
        "function": seen.name,
        "file": place.path if place is not None else "",
        "line": place.line if place is not None else 0,
    }


def render_watch(result: WatchResult) -> Payload:
    """Render a watch; its error takes the place of a missing value."""
    expression = result.watch.expression
    if result.variable is not None:
        told = view_result(expression, result.variable).value
    else:
        told = view_failure(result.error)
    return {"expression": view_expression(expression), "result": told}


def render_variable(variable: Variable) -> Payload:
    """Render a variable with the reference for ``variables``; 0 without children."""
    seen = view_variable(variable)
    return {
        "name": seen.name,
        "type": seen.type,
        "value": seen.value,
        "variablesReference": seen.reference,
    }


def render_outcome(member: HubSession, outcome: StepResult) -> Payload:
    """Render the program's stop, or its end."""
    payload: Payload = {"status": outcome.status}
    if outcome.stop is not None:
        payload["stop"] = _stop(view_stop(outcome.stop))
        if outcome.frame is not None:
            payload["frame"] = render_frame(outcome.frame)
    elif (end := member.session.exit) is not None:
        payload["exit_code"] = end.code
    return payload


def _stop(stop: StopView) -> Payload:
    return {"reason": stop.reason, "description": stop.wording.line, "thread_id": stop.thread_id}


ORIGIN = "bridge"

PATIENCE = 30.0
"""Seconds to wait for a stop or an expression."""


class BridgeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The server's permissions. ``build_cmd`` is one line (``project/build.py``).

    ``folder`` is where to build without a session; ``patience`` is in seconds.
    """

    manage_bridge: bool = False
    build_cmd: str = ""
    folder: str = ""
    guard: Guard | None = None
    patience: float = PATIENCE


class Actions:
    def __init__(self, hub: Hub, options: BridgeOptions) -> None:
        self._hub = hub
        self._options = options
        self._focuses: WeakKeyDictionary[Session, dict[str, CallerFocus]] = WeakKeyDictionary()
        guard = options.guard or LocalGuard()
        self._build = ProjectBuild(options.build_cmd, guard=guard) if options.build_cmd else None

    async def run(self, command: BridgeCommand, caller: Caller) -> Payload:
        """Run a command and return the fields beside ``ok``. Raises DebuggerError."""
        return await ACTIONS[command.action].run(self, command, caller)

    # Session and thread

    def _member(self) -> HubSession:
        member = self._hub.current
        if member is None:
            raise CommandRefused("there is no session; start one first")
        return self._hub.use(member.id)

    def _focus(self, caller: Caller) -> tuple[HubSession, CallerFocus]:
        """Return the current session, and the thread this caller has selected in it."""
        member = self._member()
        focuses = self._focuses.setdefault(member.session, {})
        if caller.actor not in focuses:
            focuses[caller.actor] = CallerFocus(member.session)
        return member, focuses[caller.actor]

    # Inspection

    async def stacktrace(self, command: BridgeCommand, caller: Caller) -> Payload:
        member, focus = self._focus(caller)
        stack = await table.READ_STACK(member, focus.chosen, count=STACK_LIMIT)
        rows = [render_frame(frame) for frame in stack.frames]
        return {"stacktrace": rows, "total_frames": stack.total}

    async def threads(self, command: BridgeCommand, caller: Caller) -> Payload:
        member, focus = self._focus(caller)
        found = await table.LIST_THREADS(member)
        selected = focus.thread_id if found.stop is not None else focus.chosen
        rows = [{"id": t.id, "name": t.name, "selected": t.id == selected} for t in found.threads]
        return {"threads": rows}

    async def locals(self, command: BridgeCommand, caller: Caller) -> Payload:
        return {"locals": await self._locals(caller)}

    async def _locals(self, caller: Caller) -> list[Payload]:
        member, focus = self._focus(caller)
        scopes = await member.session.values.look((await focus.frame()).id, {})
        if not scopes:
            return []
        return await self._variables(member, scopes[0].variable.reference, caller)

    async def scopes(self, command: BridgeCommand, caller: Caller) -> Payload:
        member, focus = self._focus(caller)
        found = await member.session.values.look((await focus.frame()).id, {})
        scopes = [(scope.variable.name, scope.variable.reference) for scope in found]
        return {"scopes": [{"name": name, "variablesReference": ref} for name, ref in scopes]}

    async def variables(self, command: BridgeCommand, caller: Caller) -> Payload:
        reference = command.variables_reference
        if reference is None:
            return {"variables": await self._locals(caller)}
        return {"variables": await self._variables(self._member(), reference, caller)}

    async def _variables(self, member: HubSession, reference: int, caller: Caller) -> list[Payload]:
        found = await table.READ_VARIABLES(member, reference)
        return [render_variable(variable) for variable in found.variables]

    # Execution

    async def continue_(self, command: BridgeCommand, caller: Caller) -> Payload:
        return await self._go(Resume.CONTINUE, caller)

    async def next(self, command: BridgeCommand, caller: Caller) -> Payload:
        return await self._go(Resume.STEP_OVER, caller)

    async def step_in(self, command: BridgeCommand, caller: Caller) -> Payload:
        return await self._go(Resume.STEP_IN, caller)

    async def _go(self, how: Resume, caller: Caller) -> Payload:
        """Resume, and answer at the next stop or end; without a stop if the timeout is over."""
        member, focus = self._focus(caller)
        patience, thread = self._options.patience, focus.chosen
        outcome = await table.STEP(member, how, thread_id=thread, timeout=patience, origin=ORIGIN)
        return render_outcome(member, outcome)

    async def disconnect(self, command: BridgeCommand, caller: Caller) -> Payload:
        if (member := self._hub.current) is not None:
            await table.END_SESSION(self._hub, member, origin=ORIGIN)
        return {}

    async def select_thread(self, command: BridgeCommand, caller: Caller) -> Payload:
        _, focus = self._focus(caller)
        assert command.thread_id is not None
        await table.SELECT_THREAD(focus, command.thread_id)
        return {"threadId": command.thread_id}

    # Breakpoints

    async def set_breakpoint(self, command: BridgeCommand, caller: Caller) -> Payload:
        """Set a breakpoint; a refused one is reported with the reason and not kept."""
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

    async def evaluate(self, command: BridgeCommand, caller: Caller) -> Payload:
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

    async def watch_expr(self, command: BridgeCommand, caller: Caller) -> Payload:
        member, focus = self._focus(caller)
        expression, watches = command.expression or "", member.session.watches
        frame = await focus.frame()
        try:
            watches.add(expression, origin=ORIGIN)
        except InvalidSetting as error:
            raise _not_supported(expression, str(error)) from None
        results = await table.WATCH(watches, frame.id, compared=False)
        return {"watch": [render_watch(result) for result in results]}

    # Launch and restart

    async def restart(self, command: BridgeCommand, caller: Caller) -> Payload:
        """Restart a session whose program has ended or whose adapter died."""
        self._must_manage("restart")
        member = self._member()
        if member.program is None and not member.session.is_attached:
            raise CommandRefused("there is no program to restart")
        await table.RESTART(member.session.lifecycle)
        return await self._begun(member)

    async def launch(self, command: BridgeCommand, caller: Caller) -> Payload:
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

    async def _begun(self, member: HubSession) -> Payload:
        """Wait for the entry stop, if there is to be one."""
        if not member.session.plan.stop_on_entry:
            return {"status": member.session.status}
        return render_outcome(
            member, await member.control.wait_for_stop(timeout=self._options.patience)
        )

    async def build(self, command: BridgeCommand, caller: Caller) -> Payload:
        """Run the build; a failing command gives ``ok:false`` with all its output."""
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
        """Return the folder of the current session's project."""
        if (member := self._hub.current) is None:
            return self._options.folder or str(Path.cwd())
        plan = member.session.plan
        return str(project_of(plan))


def _not_supported(expression: str, why: str) -> CommandRefused:
    return CommandRefused(f"expression `{expression}` is not supported", why)


class Action(msgspec.Struct, frozen=True):
    """One action: its operation and function, its required fields, its answer beside ``ok``."""

    operation: Operation[..., Any]
    run: Callable[[Actions, BridgeCommand, Caller], Awaitable[Payload]]
    needs: tuple[str, ...]
    answers: str
    manages: bool = False
    """Whether it requires ``--manage-bridge``."""

    @property
    def scope(self) -> TokenScope:
        """The scope its token needs."""
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
"""The 17 actions of the bridge, by name."""


def document_actions() -> str:
    """Render the manual's table of actions in Markdown."""
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
