"""The views by which all front ends tell of a session, and that nobody goes round them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import tuidbg.api
from tuidbg.api.auth.callers import Caller
from tuidbg.api.mcp.lldb.memory import tell_instruction, tell_registers
from tuidbg.api.mcp.lldb.rendering import tell_locations, tell_stop
from tuidbg.api.operations.views import (
    shown_to,
    view_breakpoint,
    view_call,
    view_frame,
    view_raw,
    view_report,
    view_result,
    view_stop,
    view_variable,
)
from tuidbg.session.core.redaction import REDACTED, Redaction
from tuidbg.session.features.autopsy import (
    AutopsyFrame,
    AutopsyLine,
    AutopsyReport,
    AutopsyVariable,
    ExceptionPart,
    FrameVariables,
    VariableProblem,
)
from tuidbg.session.features.native.disassembly import Instruction
from tuidbg.session.features.native.registers import Register
from tuidbg.session.hub.api_call_log import ApiCall
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointStatus,
    ExceptionState,
    Frame,
    Place,
    Stop,
    StopReason,
    Variable,
)

OWNER, AGENT = Caller(), Caller(actor="agent", redact=Redaction.TEXTS)

REDACTING = {"operations/views.py", "operations/events.py"}
"""The modules that make views. The gate only says for whom they are made, and what it writes."""


@pytest.mark.full
def test_only_the_views_take_secrets_out() -> None:
    """Whoever adds an operation can't forget to, as long as no front end does it by itself."""
    root = Path(tuidbg.api.__file__).parent
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and (node.module == "tuidbg.session.core.redaction" or _names(node, "redaction"))
        and {each.name for each in node.names} - {"Redaction", "mark_siblings"}  # hide nothing
    }
    assert found == REDACTING | {"auth/security.py", "auth/audit.py"}


def _names(node: ast.ImportFrom, name: str) -> bool:
    return node.module == "tuidbg.session.core" and any(each.name == name for each in node.names)


@pytest.mark.parametrize("caller", [OWNER, AGENT], ids=["owner", "agent"])
def test_a_hidden_value_has_no_children(caller: Caller) -> None:
    parts: dict[str, Any] = {"value": "{'a': 1}", "type": "dict", "reference": 7, "total": 1}
    with shown_to(caller):
        seen = [
            view_variable(Variable(name="user_token", **parts)),
            view_variable(Variable(name="x", evaluate_name="a['password']", **parts)),
            view_result("os.environ", Variable(name="", **parts)),
        ]
    told = {(each.value, each.reference, each.total) for each in seen}
    assert told == ({(REDACTED, 0, 0)} if caller is AGENT else {("{'a': 1}", 7, 1)})


@pytest.mark.parametrize("caller", [OWNER, AGENT], ids=["owner", "agent"])
def test_what_others_have_written_is_theirs(caller: Caller) -> None:
    found = Breakpoint(
        number=1,
        path="/a.py",
        line=2,
        condition="name == 'hunter2'",
        log_message="hunter2",
        status=BreakpointStatus.REFUSED,
        message="KeyError: 'hunter2'",
        errors=1,
    )
    call = ApiCall(
        number=1, time=0.0, actor="x", origin="mcp", action="evaluate", arguments="hunter2"
    )
    with shown_to(caller):
        seen, frame = view_breakpoint(found), Frame(id=1, index=0, name="f", place=None)
        remark = view_frame(Frame(id=1, index=0, name="f", place=None, is_earlier=True, remark="x"))
        told = [seen.condition, seen.log_message, seen.message, str(tell_locations(found))]
        told += [view_call(call).arguments, remark.remark.replace("x", "hunter2")]
        assert view_frame(frame).remark == ""
    assert ["hunter2" in text for text in told] == [caller is OWNER] * 6
    assert seen.condition == (f"name == {REDACTED}" if caller is AGENT else found.condition)


STOPS = {
    "condition": (Stop(id=1, reason=StopReason.BREAKPOINT, thread_id=1, problem="hunter2"), False),
    "words": (Stop(id=1, reason=StopReason.EXCEPTION, thread_id=1, text="hunter2"), False),
    "exception": (
        Stop(
            id=1,
            reason=StopReason.EXCEPTION,
            thread_id=1,
            signal="SIGABRT",
            exception=ExceptionState(type="std::runtime_error", message="hunter2"),
        ),
        False,
    ),
    "signal": (
        Stop(
            id=1,
            reason=StopReason.EXCEPTION,
            thread_id=1,
            signal="SIGSEGV",
            description="hunter2",
            exception=ExceptionState(type="SIGSEGV", message="hunter2"),
        ),
        True,
    ),
}


@pytest.mark.parametrize("name", STOPS)
def test_a_stop_tells_what_the_debugger_says_and_not_the_program(name: str) -> None:
    stop, is_told = STOPS[name]
    for caller, expected in ((OWNER, True), (AGENT, is_told)):
        with shown_to(caller):
            assert ("hunter2" in view_stop(stop).wording.line) is expected
            assert ("hunter2" in str(tell_stop(stop, 100))) is expected


def test_the_line_of_a_stop() -> None:
    said = Stop(id=1, reason=StopReason.STEP, thread_id=1, description="d", text="t")
    with_problem = Stop(id=1, reason=StopReason.BREAKPOINT, thread_id=1, problem="p", text="t")
    raised = Stop(
        id=1,
        reason=StopReason.EXCEPTION,
        thread_id=1,
        description="d",
        exception=ExceptionState(type="KeyError", message="'x'"),
    )
    bare = Stop(id=1, reason=StopReason.PAUSE, thread_id=1)
    told = [view_stop(stop).wording.line for stop in (said, with_problem, raised, bare)]
    assert told == ["d", "p", "KeyError: 'x'", "pause"]


@pytest.mark.parametrize("caller", [OWNER, AGENT], ids=["owner", "agent"])
def test_memory_strings_and_wide_registers(caller: Caller) -> None:
    code = Instruction(address=1, data=b"", text="lea rdi", remark='"hunter2"')
    wide = Register(name="xmm0", value="{hunter2}")
    plain = Register(name="rax", value="0x2a")
    with shown_to(caller):
        told = [view_raw("hunter2"), str(tell_instruction(code)), str(tell_registers([wide]))]
        assert tell_registers([plain]) == {"rax": "0x2a"}
    assert ["hunter2" in text for text in told] == [caller is OWNER] * 3


@pytest.mark.parametrize("caller", [OWNER, AGENT], ids=["owner", "agent"])
def test_the_whole_of_a_report(caller: Caller) -> None:
    line = AutopsyLine(place=Place(path="/a.py", line=1), source="hunter2")
    value = AutopsyVariable(name="password", type="str", value="hunter2", scope="Local")
    cause = ExceptionPart(type="KeyError", message="hunter2", notes=("hunter2",))
    frame = AutopsyFrame(
        index=0,
        function="f",
        module="m",
        is_external=False,
        is_throwing=True,
        line=line,
        arguments=(value,),
        variables=FrameVariables(
            locals=(value,), errors=(VariableProblem(name="x", problem="hunter2"),)
        ),
    )
    report = AutopsyReport(
        stop_id=1,
        thread_id=1,
        exception=ExceptionPart(
            type="ValueError",
            message="hunter2",
            problem="hunter2",
            attributes=(value,),
            raised_at=line,
            members=(cause,),
            inner=(cause,),
        ),
        is_first_chance=True,
        stack_trace="Traceback (most recent call last):\nValueError: hunter2",
        frames=(frame,),
        total_frames=1,
        throwing_frame_index=0,
    )
    with shown_to(caller):
        seen = view_report(report)
    assert (seen == report) is (caller is OWNER)
    assert ("hunter2" in repr(seen)) is (caller is OWNER)
    assert "Traceback (most recent call last):" in seen.stack_trace
