"""Looking inside: what is asked, what is made of the answers, and that none of them is stale."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes import CAPABILITIES, Script, rule
from tests.support.interpreters import SUPPORTED
from tests.support.marked import MarkedProgram
from tests.support.recording import PROGRAMS, frame, moment, program, record
from tests.support.sessions import FakeSession, debugpy_session, fake_session, within
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import (
    AdapterFailed,
    EvaluationFailed,
    InvalidSessionState,
    StaleReply,
    UnsupportedByAdapter,
)
from tuidbg.session.model.state import (
    ExitState,
    Frame,
    Place,
    Scope,
    StopReason,
    Variable,
    VariableKind,
)

PATH = "/demo/deep.py"

QUESTIONS: dict[str, Callable[[FakeSession], Awaitable[Any]]] = {
    "stackTrace": lambda s: s.session.inspection.stack(1),
    "scopes": lambda s: s.session.inspection.scopes(s.session.frames[0].id),
    "variables": lambda s: s.session.inspection.variables(100_001),
    "evaluate": lambda s: s.session.inspection.evaluate("i", s.session.frames[0].id),
    "exceptionInfo": lambda s: s.session.inspection.exception(1),
}
"""Questions about a stop, by their command."""


def deep(depth: int) -> Script:
    frames = [frame(f"f{n}", PATH, n + 1, i=n) for n in range(depth)]
    return Script(program([{"frames": frames}, moment(PATH, 1)]))


async def test_the_stack_in_pages(tmp_path: Path) -> None:
    async with fake_session(tmp_path, deep(50)) as under_test:
        await under_test.start()
        session = under_test.session
        assert [f.index for f in session.frames] == list(range(20))
        assert under_test.fake.arguments_of("stackTrace") == [
            {"threadId": 1, "startFrame": 0, "levels": 20}
        ]
        frames, total = await session.inspection.stack(1, 40)
        assert total == 50
        assert [(f.index, f.name) for f in frames] == [(n, f"f{n}") for n in range(40, 50)]
        assert await session.inspection.stack(1, 50) == ((), 50)


ENDLESS = """\
    import sys
    sys.setrecursionlimit(30_000)
    def down(n):
        if n == 0:
            return 0  #: end
        return down(n - 1) + 1
    down(25_000)
    def without_end(n):
        return without_end(n + 1)
    without_end(0)
    """


@pytest.mark.real
@pytest.mark.full
@pytest.mark.skipif(max(SUPPORTED) < (3, 12), reason="Python ends the tracing before 3.12")
async def test_tens_of_thousands_of_calls_and_their_end(tmp_path: Path) -> None:
    code = MarkedProgram(tmp_path, ENDLESS)
    newest = SUPPORTED[max(SUPPORTED)]
    async with debugpy_session(tmp_path, code.file, python=newest, stop_on_entry=False) as t:
        inspection = t.session.inspection
        await t.session.breakpoints.set(code.path, code["end"], origin="tui")
        await t.start()
        frames, total = await inspection.stack(t.session.threads[0].id, 10_000)
        assert {f.name for f in frames} == {"down"} and total > 25_000
        assert (await inspection.evaluate("n", frames[0].id)).value == "10000"
        await t.go(Resume.CONTINUE)
        assert t.reason is StopReason.EXCEPTION, t.describe()
        top = t.session.frames[0]
        assert top.name == "without_end"
        assert int((await inspection.evaluate("n", top.id)).value) > 29_000
        await t.to_end()
        assert t.session.exit == ExitState(code=1)


async def test_the_stack_of_an_adapter_that_gives_it_whole(tmp_path: Path) -> None:
    script = deep(50)
    del script.capabilities["supportsDelayedStackTraceLoading"]
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        session = under_test.session
        assert [f.index for f in session.frames] == list(range(20))
        frames, total = await session.inspection.stack(1, 40, 5)
        assert total == 50
        assert [(f.index, f.name) for f in frames] == [(n, f"f{n}") for n in range(40, 45)]
        assert {"threadId": 1} in under_test.fake.arguments_of("stackTrace")


async def test_frames_of_all_kinds(tmp_path: Path) -> None:
    told = [
        {"id": 0, "name": "zero", "line": 3, "column": 5, "source": {"path": "/a.py"}},
        {"id": 1, "name": "<frozen>", "line": 0, "column": 0, "presentationHint": "subtle"},
        {"id": 2, "name": "native", "line": 7, "column": 1,
         "source": {"name": "libc", "sourceReference": 9}},
        {"id": 3, "name": "[async]", "line": 1, "column": 1, "presentationHint": "label",
         "source": {}},
    ]  # fmt: skip
    rules = [rule("stackTrace", "body", body={"stackFrames": told})]
    async with fake_session(tmp_path, Script(rules=rules)) as under_test:
        await under_test.start()
        assert under_test.session.frames == (
            Frame(id=0, index=0, name="zero", place=Place("/a.py", 3, 5), module="a"),
            Frame(id=1, index=1, name="<frozen>", place=None, subtle=True),
            Frame(id=2, index=2, name="native", place=Place("libc", 7, 1, 9)),
            Frame(id=3, index=3, name="[async]", place=None, subtle=True),
        )


async def test_scopes_and_variables(tmp_path: Path) -> None:
    source = PROGRAMS / "parcels.py"
    async with fake_session(tmp_path, Script(record(source))) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(source), 18, origin="tui")
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        scopes = await session.inspection.scopes(session.frames[0].id)
        assert [s.name for s in scopes] == ["Locals", "Globals"]
        assert all(isinstance(s, Scope) and s.reference > 0 for s in scopes)
        variables = await session.inspection.variables(scopes[0].reference)
        assert variables[1] == Variable(name="price", value="1", type="int", evaluate_name="price")
        parcel = variables[0]
        assert (parcel.name, parcel.type) == ("parcel", "Parcel")
        assert parcel.value == "Parcel('postcard', 'letter', 1)"
        inside = await session.inspection.variables(parcel.reference)
        assert [v.name for v in inside] == ["name", "kind", "weight", "stamps"]
        caller = await under_test.locals(frame=1)
        assert caller["total"].value == "0"


async def test_references_die_when_the_program_goes_on(tmp_path: Path) -> None:
    async with fake_session(tmp_path) as under_test:
        await under_test.start()
        session = under_test.session
        scopes = await session.inspection.scopes(session.frames[0].id)
        await under_test.go(Resume.STEP_OVER)
        with pytest.raises(AdapterFailed, match="no such variable"):
            await session.inspection.variables(scopes[0].reference)


async def test_source_text(tmp_path: Path) -> None:
    async with fake_session(tmp_path) as under_test:
        await under_test.start()
        session = under_test.session
        place = session.frames[0].place
        assert place is not None
        assert (place.path, place.reference) == ("/demo/parcels.py", 1)
        text = await session.inspection.source_text(place.reference, place.path)
        assert text == (PROGRAMS / "parcels.py").read_text(encoding="utf-8")
        with pytest.raises(AdapterFailed, match="no such source"):
            await session.inspection.source_text(77, "x")


async def test_evaluate(tmp_path: Path) -> None:
    async with fake_session(tmp_path, deep(2)) as under_test:
        await under_test.start()
        inspection, frames = under_test.session.inspection, under_test.session.frames
        assert (await inspection.evaluate("i + 1", frames[1].id)).value == "2"
        assert (await inspection.evaluate("[i, 2]", frames[1].id)).reference > 0
        assert (await inspection.evaluate("i = 40", frames[1].id)).value == ""
        assert (await inspection.evaluate("i + 2", frames[1].id)).value == "42"
        assert (await inspection.evaluate("1 + 1")).value == "2"
        with pytest.raises(EvaluationFailed, match="NameError: name 'nope' is not defined"):
            await inspection.evaluate("nope", frames[0].id)
        with pytest.raises(EvaluationFailed, match="SyntaxError"):
            await inspection.evaluate("1 +", frames[0].id, "watch")
        sent = under_test.fake.arguments_of("evaluate")
        assert sent[0] == {"expression": "i + 1", "context": "repl", "frameId": frames[1].id}
        assert "frameId" not in sent[4]
        assert sent[-1]["context"] == "watch"


async def test_the_time_limit_of_an_evaluation_is_a_persons_patience(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with fake_session(tmp_path, deep(1)) as under_test:
        under_test.script.rules.append(rule("evaluate", "hold"))
        await under_test.start()
        monkeypatch.setattr("tuidbg.session.core.connect.adapter_link.DEFAULT_TIMEOUT", 0.05)
        frames = under_test.session.frames
        asked = asyncio.create_task(under_test.session.inspection.evaluate("i", frames[0].id))
        await under_test.fake.until_request("evaluate")
        with pytest.raises(TimeoutError):
            await within(0.2, asyncio.shield(asked))
        await under_test.fake.release("evaluate")
        assert (await asked).value == "0"


@pytest.mark.parametrize("command", QUESTIONS)
async def test_an_answer_of_an_earlier_stop_is_stale(command: str, tmp_path: Path) -> None:
    """The program went on, and stopped again, while the adapter was thinking."""
    async with fake_session(tmp_path, deep(2)) as under_test:
        await under_test.start()
        await under_test.fake.add_rule(command, "hold", nth=1)
        count = under_test.fake.count(command)
        asked = asyncio.ensure_future(QUESTIONS[command](under_test))
        await under_test.fake.until_request(command, count + 1)
        await under_test.go(Resume.STEP_OVER)
        await under_test.fake.release(command)
        with pytest.raises(StaleReply):
            await asked


@pytest.mark.parametrize("command", ["scopes", "evaluate"])
async def test_an_answer_while_the_program_runs_is_stale(command: str, tmp_path: Path) -> None:
    rules = [rule("next", "hold"), rule(command, "hold")]
    script = deep(2)
    script.rules = rules
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        asked = asyncio.ensure_future(QUESTIONS[command](under_test))
        await under_test.fake.until_request(command)
        step = asyncio.create_task(
            under_test.session.execution.resume(Resume.STEP_OVER, origin="tui")
        )
        await under_test.fake.until_request("next")
        await under_test.fake.release(command)
        with pytest.raises(StaleReply):
            await asked
        await under_test.fake.release("next")
        await step


@pytest.mark.parametrize("command", ["scopes", "evaluate"])
async def test_an_error_of_an_earlier_stop_is_stale_too(command: str, tmp_path: Path) -> None:
    script = deep(2)
    script.rules = [rule(command, "drop", nth=1)]
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        asked = asyncio.ensure_future(QUESTIONS[command](under_test))
        await under_test.fake.until_request(command)
        number = next(
            m.message["seq"]
            for m in under_test.messages()
            if m.sent and m.message.get("command") == command
        )
        await under_test.go(Resume.STEP_OVER)
        await under_test.fake.send(
            {"type": "response", "request_seq": number, "command": command, "success": False}
        )
        with pytest.raises(StaleReply):
            await asked


@pytest.mark.parametrize("command", QUESTIONS)
async def test_questions_without_a_stop_say_why(command: str, tmp_path: Path) -> None:
    async with fake_session(tmp_path, deep(1)) as under_test:
        await under_test.start()
        frames = under_test.session.frames
        await under_test.go(Resume.CONTINUE)
        under_test.session.frames = frames
        with pytest.raises(InvalidSessionState, match="has ended"):
            await QUESTIONS[command](under_test)


async def test_threads_can_be_asked_for_while_the_program_runs(tmp_path: Path) -> None:
    script = deep(1)
    script.rules = [rule("next", "hold")]
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        step = asyncio.create_task(
            under_test.session.execution.resume(Resume.STEP_OVER, origin="tui")
        )
        await under_test.fake.until_request("next")
        assert [t.name for t in await under_test.session.inspection.threads()] == ["MainThread"]
        await under_test.fake.release("next")
        await step


async def test_what_the_adapter_can_not_do_is_not_asked(tmp_path: Path) -> None:
    capabilities = {k: v for k, v in CAPABILITIES.items() if k != "supportsExceptionInfoRequest"}
    async with fake_session(tmp_path, Script(capabilities=capabilities)) as under_test:
        await under_test.start()
        with pytest.raises(UnsupportedByAdapter, match="can't do 'exceptionInfo'"):
            await under_test.session.inspection.exception(1)


@pytest.mark.parametrize(
    "body",
    [
        {"variables": 5},
        {"variables": [{"value": "no name"}]},
        {"variables": [None]},
        {"variables": [{"name": 1}]},
    ],
)
async def test_answers_that_make_no_sense(body: dict[str, Any], tmp_path: Path) -> None:
    """One answer is lost in words; the session goes on."""
    async with fake_session(tmp_path, Script(rules=[rule("variables", "body", body=body)])) as s:
        await s.start()
        with pytest.raises(AdapterFailed, match="unexpected reply"):
            await s.session.inspection.variables(5)
        await s.go(Resume.STEP_OVER)


async def test_an_exception_without_the_adapters_own_remarks(tmp_path: Path) -> None:
    note = "KeyError       (note: full exception trace is shown but execution is paused at: run)"
    trace = '  File "/a.py", line 3, in run (Current frame)\n    go()\nKeyError: 1\n'
    body = {"exceptionId": note, "breakMode": "always"} | {
        "details": {"typeName": note, "message": "1", "stackTrace": trace}
    }
    async with fake_session(
        tmp_path, Script(rules=[rule("exceptionInfo", "body", body=body)])
    ) as s:
        await s.start()
        found = await s.session.inspection.exception(1)
        assert (found.type, found.message) == ("KeyError", "1")
        assert found.stack_trace.splitlines()[0] == '  File "/a.py", line 3, in run'


async def test_what_a_call_returned_is_told_as_a_person_reads_it(tmp_path: Path) -> None:
    told = {"name": "(return) Box.grow", "value": "5", "type": "int", "variablesReference": 0}
    rules = [rule("variables", "body", body={"variables": [told]})]
    async with fake_session(tmp_path, Script(rules=rules)) as under_test:
        await under_test.start()
        assert await under_test.session.inspection.variables(5) == (
            Variable("Box.grow() returned", "5", "int", kind=VariableKind.RETURNED),
        )


async def test_answers_in_another_order(tmp_path: Path) -> None:
    async with fake_session(tmp_path, deep(2)) as under_test:
        await under_test.start()
        await under_test.fake.add_rule("scopes", "hold", nth=1)
        inspection, frames = under_test.session.inspection, under_test.session.frames
        first = asyncio.create_task(inspection.scopes(frames[0].id))
        await under_test.fake.until_request("scopes")
        second = await inspection.scopes(frames[1].id)
        await under_test.fake.release("scopes")
        assert (await first)[0].reference != second[0].reference
