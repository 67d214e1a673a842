"""The table of DAP requests: handler, arguments, stages and operation.

At a recorded moment, requests are answered from the recording; requests that act on the live
program (``_of_now``) are refused there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from tuidbg.api.dap import arguments as given
from tuidbg.api.dap.client import DapClient, DapCommand, Stage
from tuidbg.api.dap.references import WrongState
from tuidbg.api.dap.requests.breakpoints import (
    DataBreakpoints,
    ExceptionRequests,
    SourceBreakpoints,
)
from tuidbg.api.dap.requests.execution import PastRequests
from tuidbg.api.dap.requests.inspection import (
    Evaluating,
    NativeRequests,
    StackRequests,
    ValueRequests,
)
from tuidbg.api.dap.requests.lifecycle import Starting
from tuidbg.api.dap.requests.running import ExecutionRequests
from tuidbg.api.operations import table


class Requests:
    """The request handlers of one client."""

    def __init__(self, client: DapClient) -> None:
        self.starting = Starting(client)
        self.breakpoints = SourceBreakpoints(client)
        self.exceptions = ExceptionRequests(client)
        self.data = DataBreakpoints(client)
        self.running = ExecutionRequests(client)
        self.stack = StackRequests(client)
        self.values = ValueRequests(client)
        self.evaluating = Evaluating(client, self.values)
        self.native = NativeRequests(client)
        self.past = PastRequests(client)


def _requests(client: DapClient) -> Requests:
    found = client.kept.get(Requests)
    if not isinstance(found, Requests):
        found = client.kept[Requests] = Requests(client)
    return found


Serve = Callable[[DapClient, Any], Awaitable[object]]


def _by(choose: Callable[[Requests], Callable[[Any], Awaitable[object]]]) -> Serve:
    async def serve(client: DapClient, asked: Any) -> object:
        return await choose(_requests(client))(asked)

    return serve


def _of_now(choose: Callable[[Requests], Callable[[Any], Awaitable[object]]]) -> Serve:
    """Make a handler for a request that is valid for the live program only."""
    serve = _by(choose)

    async def serve_now(client: DapClient, asked: Any) -> object:
        if client.references.recorded is not None:
            raise WrongState(
                "this is a recorded moment: it can be looked at, and not be changed or run;"
                " continue leads back to now"
            )
        return await serve(client, asked)

    return serve_now


_NEW = frozenset({Stage.NEW})
_INITIALISED = frozenset({Stage.INITIALISED})
_ANY = frozenset(Stage)
_COME = frozenset({Stage.INITIALISED, Stage.STARTING, Stage.CONFIGURING, Stage.ATTACHED})
_ATTACHED = frozenset({Stage.ATTACHED})
_WORKING = frozenset({Stage.CONFIGURING, Stage.ATTACHED})

_setting = partial(DapCommand, stages=_WORKING, in_turn=True, acts=True)
_moving = partial(DapCommand, stages=_WORKING, in_turn=True, acts=True, resumes=True)
_acting = partial(DapCommand, stages=_WORKING, acts=True)
_looking = partial(DapCommand, stages=_WORKING)

_G = given

COMMANDS: dict[str, DapCommand] = {
    "initialize": DapCommand(
        _by(lambda r: r.starting.initialize), _G.InitializeArguments, None, _NEW
    ),
    "launch": DapCommand(
        _by(lambda r: r.starting.launch), _G.Configuration, table.LAUNCH, _INITIALISED, acts=True
    ),
    "attach": DapCommand(
        _by(lambda r: r.starting.attach), _G.Configuration, table.READ_SESSION, _INITIALISED
    ),
    "configurationDone": DapCommand(
        _by(lambda r: r.starting.configuration_done), _G.NoArguments, None, _COME, in_turn=True
    ),
    "restart": DapCommand(
        *(_by(lambda r: r.starting.restart), _G.Configuration, table.RESTART),
        stages=_ATTACHED,
        acts=True,
        resumes=True,
    ),
    "terminate": DapCommand(
        *(_by(lambda r: r.starting.terminate), _G.Configuration, table.END_SESSION),
        stages=_COME,
        acts=True,
    ),
    "disconnect": DapCommand(
        _by(lambda r: r.starting.disconnect), _G.DisconnectArguments, None, _ANY
    ),
    "cancel": DapCommand(_by(lambda r: r.starting.cancel), _G.CancelArguments, None, _COME),
    # Breakpoints
    "setBreakpoints": _setting(
        _by(lambda r: r.breakpoints.set_lines), _G.SetBreakpointsArguments, table.SET_LINES
    ),
    "setFunctionBreakpoints": _setting(
        *(_by(lambda r: r.breakpoints.set_functions), _G.SetFunctionBreakpointsArguments),
        table.SET_BREAKPOINT,
    ),
    "setInstructionBreakpoints": _setting(
        *(_by(lambda r: r.breakpoints.set_instructions), _G.SetInstructionBreakpointsArguments),
        table.SET_BREAKPOINT,
    ),
    "setExceptionBreakpoints": _setting(
        *(_by(lambda r: r.exceptions.set), _G.SetExceptionBreakpointsArguments),
        table.STOP_AT_EXCEPTIONS,
    ),
    "setDataBreakpoints": _setting(
        _by(lambda r: r.data.set), _G.SetDataBreakpointsArguments, table.WATCH_CHANGES
    ),
    "dataBreakpointInfo": _looking(
        _of_now(lambda r: r.data.info), _G.DataBreakpointInfoArguments, table.LIST_BREAKPOINTS
    ),
    "breakpointLocations": _looking(
        _by(lambda r: r.breakpoints.locations), _G.BreakpointLocationsArguments, table.LIST_LINES
    ),
    # Execution
    "continue": _moving(_by(lambda r: r.running.go_on), _G.ContinueArguments, table.CONTINUE),
    "next": _moving(_by(lambda r: r.running.next), _G.StepArguments, table.BEGIN_STEP),
    "stepIn": _moving(_by(lambda r: r.running.step_in), _G.StepArguments, table.BEGIN_STEP),
    "stepOut": _moving(_by(lambda r: r.running.step_out), _G.StepArguments, table.BEGIN_STEP),
    "stepBack": _looking(
        *(_by(lambda r: r.past.step_back), _G.StepBackArguments, table.GO_IN_PAST),
        in_turn=True,
        resumes=True,
    ),
    "reverseContinue": _looking(
        *(_by(lambda r: r.past.reverse_continue), _G.StepBackArguments, table.GO_IN_PAST),
        in_turn=True,
        resumes=True,
    ),
    "goto": _moving(_of_now(lambda r: r.running.goto), _G.GotoArguments, table.JUMP),
    "restartFrame": _moving(
        _of_now(lambda r: r.running.restart_frame), _G.FrameArguments, table.RESTART_FRAME
    ),
    "pause": _acting(_by(lambda r: r.running.pause), _G.PauseArguments, table.PAUSE),
    "terminateThreads": _acting(
        *(_by(lambda r: r.running.terminate_threads), _G.TerminateThreadsArguments),
        table.END_THREADS,
    ),
    "stepInTargets": _looking(
        _of_now(lambda r: r.running.step_in_targets), _G.FrameArguments, table.LIST_STEP_TARGETS
    ),
    "gotoTargets": _looking(
        _of_now(lambda r: r.running.goto_targets), _G.GotoTargetsArguments, table.LIST_LINES
    ),
    # Inspection
    "threads": _looking(_by(lambda r: r.stack.threads), _G.NoArguments, table.LIST_THREADS),
    "stackTrace": _looking(
        _by(lambda r: r.stack.stack_trace), _G.StackTraceArguments, table.READ_STACK
    ),
    "scopes": _looking(_by(lambda r: r.values.scopes), _G.FrameArguments, table.READ_SCOPES),
    "variables": _looking(
        _by(lambda r: r.values.variables), _G.VariablesArguments, table.READ_VARIABLES
    ),
    "exceptionInfo": _looking(
        _of_now(lambda r: r.exceptions.info), _G.ThreadArguments, table.DESCRIBE_EXCEPTION
    ),
    "source": _looking(_by(lambda r: r.stack.source), _G.SourceArguments, table.READ_SOURCE),
    "modules": _looking(_by(lambda r: r.stack.modules), _G.ModulesArguments, table.LIST_LOADED),
    "loadedSources": _looking(
        _by(lambda r: r.stack.loaded_sources), _G.NoArguments, table.LIST_LOADED
    ),
    "completions": _looking(
        _by(lambda r: r.evaluating.complete), _G.CompletionsArguments, table.COMPLETE
    ),
    # Values
    "evaluate": _acting(_by(lambda r: r.evaluating.evaluate), _G.EvaluateArguments, table.EVALUATE),
    "setVariable": _acting(
        _of_now(lambda r: r.values.set_variable), _G.SetVariableArguments, table.SET_VALUE
    ),
    "setExpression": _acting(
        _of_now(lambda r: r.values.set_expression), _G.SetExpressionArguments, table.SET_VALUE
    ),
    # Native code
    "readMemory": _looking(
        _of_now(lambda r: r.native.read_memory), _G.ReadMemoryArguments, table.READ_MEMORY
    ),
    "writeMemory": _acting(
        _of_now(lambda r: r.native.write_memory), _G.WriteMemoryArguments, table.WRITE_MEMORY
    ),
    "disassemble": _looking(
        _of_now(lambda r: r.native.disassemble), _G.DisassembleArguments, table.DISASSEMBLE
    ),
}
