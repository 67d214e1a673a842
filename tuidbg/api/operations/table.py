"""The table of all operations: name, scope, function and errors.

REST, the bridge and both sets of MCP tools offer these rows under names of their own; the gate
reads the required scope here. An operation that needs nothing extra is the core's own function.
"""

from __future__ import annotations

from tuidbg.api.auth.callers import TokenScope
from tuidbg.api.feed.feed import Feed
from tuidbg.api.operations import execution, recording
from tuidbg.api.operations import inspection as looking
from tuidbg.api.operations.execution import Waiter
from tuidbg.api.operations.job import command_job, evaluate_job, read_job
from tuidbg.api.operations.operation import Operation
from tuidbg.session.core.breakpoints.batch import set_lines
from tuidbg.session.core.breakpoints.breakpoints import SessionBreakpoints
from tuidbg.session.core.breakpoints.changes import Changing
from tuidbg.session.core.breakpoints.value_breakpoints import ValueBreakpoints as ValueChanges
from tuidbg.session.core.control import Control
from tuidbg.session.core.evaluation.prompt import Evaluation
from tuidbg.session.core.lifecycle import Lifecycle
from tuidbg.session.core.sources.definitions import SourceNotNamed, find_source
from tuidbg.session.core.sources.program_facts import Modules, ProgramFacts
from tuidbg.session.core.stack.focus import CallerFocus
from tuidbg.session.core.stack.inspection import Inspection
from tuidbg.session.core.stack.tasks import find_waits
from tuidbg.session.core.stepping import Stepping
from tuidbg.session.core.terminal.program_terminal import TerminalIO
from tuidbg.session.core.values.variables import VariableChanges, read_scopes
from tuidbg.session.core.values.watches import Watches
from tuidbg.session.features.autopsy import Autopsy, NoException
from tuidbg.session.features.build import ProjectBuild
from tuidbg.session.features.job.commands import NoOrder, NotChosen
from tuidbg.session.features.native.cores import save_core
from tuidbg.session.features.native.crash import examine_crash
from tuidbg.session.features.native.disassembly import Disassembly
from tuidbg.session.features.native.memory import Memory
from tuidbg.session.features.native.registers import Registers
from tuidbg.session.features.native.signals import send_signal
from tuidbg.session.features.native.symbols import Symbols
from tuidbg.session.features.recording.calls.recorder import CallRecordings
from tuidbg.session.features.recording.recorded_run import CannotRecord, NothingRecorded
from tuidbg.session.hub.api_call_log import Activity
from tuidbg.session.hub.hub import Hub
from tuidbg.session.model import errors

_READ, _CONTROL, _EVALUATE, _LAUNCH = (
    TokenScope.READ,
    TokenScope.CONTROL,
    TokenScope.EVALUATE,
    TokenScope.LAUNCH,
)

_STATE, _TIME, _THREAD = errors.InvalidSessionState, errors.AdapterTimedOut, errors.ThreadNotFound
_FRAME = (_STATE, _THREAD, errors.FrameNotFound)
_RUN = (_STATE, _THREAD, _TIME)
_ATTACH = (errors.AttachFailed, errors.AttachRefused, errors.AttachTimedOut)
_SETTINGS = (errors.InvalidCondition, errors.InvalidSetting)
_LINE = (errors.BreakpointFileNotFound, errors.LineCannotBreak)

# Sessions and their programs

LOOK_AT_SERVER = Operation("look at server", _READ, Hub.__len__)
CREATE_SESSION = Operation("create session", _CONTROL, Hub.create, errors.SessionLimitReached)
LIST_SESSIONS = Operation("list sessions", _READ, Hub.__iter__)
READ_SESSION = Operation("read session", _READ, Control.where)
DELETE_SESSION = Operation("delete session", _CONTROL, Hub.delete)
END_SESSION = Operation("end session", _CONTROL, execution.end_session)
CHOOSE_PROGRAM = Operation("choose program", _CONTROL, Hub.set_target, _STATE)
LAUNCH = Operation("launch", _LAUNCH, Hub.launch, _STATE, errors.LaunchFailed)
ATTACH = Operation("attach", _LAUNCH, Hub.attach, _STATE, *_ATTACH)
RESTART = Operation("restart", _LAUNCH, Lifecycle.restart, errors.LaunchFailed)
BUILD = Operation("build", _LAUNCH, ProjectBuild.run)

# Execution

CONTINUE = Operation("continue", _CONTROL, Control.go_on, *_RUN)
PAUSE = Operation("pause", _CONTROL, Control.pause, *_RUN)
STEP = Operation("step", _CONTROL, execution.step, *_RUN)
BEGIN_STEP = Operation("begin step", _CONTROL, Control.begin, *_RUN)
STEP_OUT = Operation("step out", _CONTROL, Control.step_out, *_RUN)
END_THREADS = Operation(
    "end threads", _CONTROL, Control.end_threads, *_RUN, errors.UnsupportedByAdapter
)
LIST_STEP_TARGETS = Operation("list step targets", _READ, Stepping.step_targets, _STATE)
JUMP = Operation("jump", _EVALUATE, Stepping.jump, _STATE, errors.UnsupportedByAdapter)
RESTART_FRAME = Operation(
    "restart frame", _EVALUATE, Stepping.restart_frame, _STATE, errors.UnsupportedByAdapter
)
WAIT = Operation("wait", _READ, Waiter.wait)
RECORD_CALL = Operation("record call", _CONTROL, CallRecordings.record, _STATE)
SEND_SIGNAL = Operation("send signal", _CONTROL, send_signal)

# Inspection

LIST_THREADS = Operation("list threads", _READ, looking.list_threads, _STATE)
FIND_WAITS = Operation("find waits", _READ, find_waits, _STATE, errors.UnsupportedByAdapter)
READ_JOB = Operation("read job", _READ, read_job)
COMMAND_JOB = Operation("command job", _CONTROL, command_job, NotChosen, NoOrder)
EVALUATE_JOB = Operation(
    "evaluate in job", _EVALUATE, evaluate_job, NotChosen, NoOrder, errors.EvaluationFailed
)
SELECT_THREAD = Operation("select thread", _CONTROL, CallerFocus.select, _STATE, _THREAD)
SELECT_FRAME = Operation("select frame", _CONTROL, Control.frame, *_FRAME)
READ_STACK = Operation("read stack", _READ, looking.read_stack, _STATE, _THREAD)
READ_SCOPES = Operation("read scopes", _READ, read_scopes, *_FRAME)
READ_VARIABLES = Operation(
    "read variables", _READ, looking.read_variables, _STATE, errors.VariableNotFound
)
EVALUATE = Operation(
    "evaluate", _EVALUATE, looking.evaluate, *_FRAME, errors.EvaluationFailed, _TIME
)
WATCH = Operation("watch", _EVALUATE, Watches.evaluate, errors.InvalidSetting)
SET_VALUE = Operation(
    "set value",
    _EVALUATE,
    VariableChanges.set,
    errors.EvaluationFailed,
    errors.UnsupportedByAdapter,
)
COMPLETE = Operation("complete", _READ, Evaluation.complete, errors.UnsupportedByAdapter)
READ_SOURCE = Operation("read source", _READ, Inspection.source_text)
FIND_SOURCE = Operation("find source", _READ, find_source, SourceNotNamed)
DESCRIBE_EXCEPTION = Operation("describe exception", _READ, Inspection.exception, _STATE)
LIST_LOADED = Operation("list loaded modules", _READ, Modules.list, _STATE)
EXAMINE_EXCEPTION = Operation("examine exception", _READ, Autopsy.examine, NoException)

# The recorded run

_MOMENT = (recording.MomentNotFound, NothingRecorded)
_CALL = (*_MOMENT, errors.FrameNotFound)
_ASKED = (*_CALL, errors.EvaluationFailed)

READ_RECORDING = Operation("read recording", _READ, recording.describe_recording)
BEGIN_RECORDING = Operation("begin recording", _CONTROL, recording.begin_recording, CannotRecord)
END_RECORDING = Operation("end recording", _CONTROL, recording.end_recording)
GO_IN_PAST = Operation("go in past", _READ, recording.go, *_MOMENT)
READ_PAST_STACK = Operation("read past stack", _READ, recording.read_past_stack, *_MOMENT)
READ_PAST_VARIABLES = Operation("read past variables", _READ, recording.read_past_variables, *_CALL)
OPEN_PAST_VALUE = Operation(
    "open past value", _READ, recording.open_past_value, errors.VariableNotFound
)
EVALUATE_PAST = Operation("evaluate past", _EVALUATE, recording.evaluate_past, *_ASKED)
LAST_CHANGES = Operation("last changes", _READ, recording.last_changes, *_ASKED)
FIND_TIME = Operation("find time", _EVALUATE, recording.find_time, *_ASKED)
LIST_CALLS = Operation("list calls", _READ, recording.list_calls, *_CALL)
LIST_PASSES = Operation("list passes", _READ, recording.list_passes, NothingRecorded)
LIST_VALUES = Operation("list values", _READ, recording.list_values, *_CALL)
KEEP_RECORDING = Operation("keep recording", _READ, recording.finished_recording, NothingRecorded)
COMPARE_RUNS = Operation(
    "compare runs",
    _READ,
    recording.compare_runs,
    NothingRecorded,
    errors.EvaluationFailed,
)

# Breakpoints

SET_LINES = Operation("set lines", _CONTROL, set_lines, _STATE, *_SETTINGS, *_LINE)
SET_BREAKPOINT = Operation("set breakpoint", _CONTROL, execution.try_breakpoint, *_SETTINGS)
SET_EXCEPTION = Operation("set exception", _CONTROL, SessionBreakpoints.set_exception)
REPLACE_BREAKPOINTS = Operation("replace breakpoints", _CONTROL, Changing.change_all, *_SETTINGS)
STOP_AT_EXCEPTIONS = Operation(
    "stop at exceptions", _CONTROL, SessionBreakpoints.stop_at_exceptions
)
LIST_LINES = Operation("list lines", _READ, ProgramFacts.of)
WATCH_CHANGES = Operation("watch changes", _EVALUATE, ValueChanges.watch, *_SETTINGS)
WAIT_FOR_EXPRESSION = Operation(
    "wait for expression", _EVALUATE, ValueChanges.wait_for, _STATE, *_SETTINGS
)
LIST_BREAKPOINTS = Operation("list breakpoints", _READ, execution.list_breakpoints)
UPDATE_BREAKPOINT = Operation(
    "update breakpoint", _CONTROL, SessionBreakpoints.update, errors.BreakpointNotFound, *_SETTINGS
)
REMOVE_BREAKPOINT = Operation(
    "remove breakpoint", _CONTROL, SessionBreakpoints.remove, errors.BreakpointNotFound
)

# Input, output and events

WRITE_INPUT = Operation("write input", _CONTROL, TerminalIO.send_input)
READ_OUTPUT = Operation("read output", _READ, Feed.output_after)
READ_EVENTS = Operation("read events", _READ, Feed.events_after)
READ_CALLS = Operation("read calls", _READ, Activity.__iter__)

# Native code

DISASSEMBLE = Operation("disassemble", _READ, Disassembly.around, errors.NoInstructions)
READ_MEMORY = Operation("read memory", _READ, Memory.read, errors.NoAddress)
WRITE_MEMORY = Operation("write memory", _EVALUATE, Memory.write, errors.MemoryNotWritable)
READ_REGISTERS = Operation("read registers", _READ, Registers.groups)
WRITE_REGISTER = Operation("write register", _EVALUATE, Registers.set, errors.RegisterNotFound)
SEARCH_SYMBOLS = Operation("search symbols", _READ, Symbols.search)
LIST_MODULES = Operation("list modules", _READ, Symbols.modules)
FIND_SUSPECTS = Operation("find suspects", _READ, Symbols.suspects)
RUN_COMMAND = Operation("run command", _EVALUATE, looking.run_command)
EXAMINE_CRASH = Operation("examine crash", _READ, examine_crash)
SAVE_CORE = Operation("save core", _EVALUATE, save_core, _STATE, errors.UnsupportedByAdapter)
