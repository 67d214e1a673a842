"""Tries what nobody thought of: requests made of the OpenAPI document, and calls in any order.

All of it on the fake adapter, and always the same: what is found once is found again.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from schemathesis import Case, GenerationMode
from schemathesis.checks import CHECKS, load_all_checks

from tests.support.fakes import ProcessProfile, Script
from tests.support.recording import busy, frame, moment, program
from tests.support.relay import BASE, HOST, Answer, Relay, relay
from tuidbg.api.app import openapi_document
from tuidbg.api.rest.routes import output
from tuidbg.session.model.events import Continued, StatusChanged, Stopped

pytestmark = [pytest.mark.real, pytest.mark.full]

T = TypeVar("T")
AnyCase = Case[Any]

SCHEMA = schemathesis.openapi.from_dict(openapi_document())
OPERATIONS: dict[str, Any] = {
    found.definition.raw["operationId"]: found
    for found in (result.ok() for result in SCHEMA.get_all_operations())  # type: ignore[union-attr]
}
STATES = ("created", "running", "paused", "terminated", "failed", "unknown")

REFUSED_STARTS = {"LAUNCH_FAILED", "ATTACH_FAILED", "ATTACH_REFUSED", "ATTACH_TIMEOUT"}
"""Errors of 500 and more that are no fault of ours: there is nothing to start."""

NO_PROCESS = 2**31 - 1

load_all_checks()
CHECKED: list[Any] = CHECKS.get_by_names(
    [
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
    ]
)


class World:
    """The application, with a session in every state; for tests that are no coroutines."""

    def __init__(self, folder: Path) -> None:
        self.script = folder / "main.py"
        self.script.write_text("x = 1\n" * 9)
        self._runner = asyncio.Runner()
        self._stack = AsyncExitStack()
        self._sessions: dict[str, str] = {}
        self.relay: Relay = self.run(self._stack.enter_async_context(self._open()))

    def close(self) -> None:
        self.run(self._stack.aclose())
        self._runner.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Relay]:
        path = str(self.script)
        inside = [frame("inner", path, 2), frame("main", path, 6)]
        moments = [
            {"frames": inside},
            {"frames": inside},
            moment(path, 7),
            busy(path, 8),
            moment(path, 9),
        ]
        fake = ProcessProfile(Script(program(moments)))
        async with relay(profile=lambda: fake, limit=1_000) as client:
            yield client

    def session(self, state: str) -> str:
        """The id of a session in that state."""
        if state == "unknown":
            return "sess_00000000"
        if state not in self._sessions:
            self._sessions[state] = self.run(self._make(state))
        return self._sessions[state]

    async def _make(self, state: str) -> str:
        client = self.relay
        await client.create(project_root=str(self.script.parent))
        if state != "created":
            await client.launch(self.script, stop_on_entry=state == "paused")
            await client.until_status("paused" if state == "paused" else "running")
        session = client.hub.get(client.session_id).session
        if state == "terminated":
            await session.lifecycle.stop()
        if state == "failed":
            assert session.adapter.client is not None and session.adapter.client.process is not None
            session.adapter.client.process.popen.kill()
            await client.until_status("failed")
        return client.session_id

    def tidy(self, used: str) -> None:
        """Delete all sessions that are not, or may not be, in the state for which they are kept."""
        self._sessions.pop(used, None)
        kept = {}
        for state, session_id in self._sessions.items():
            if any(m.id == session_id and m.session.status == state for m in self.relay.hub):
                kept[state] = session_id
        self._sessions = kept
        for member in self.relay.hub:
            if member.id not in kept.values():
                self.run(self.relay.hub.delete(member.id, origin="rest"))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("fuzz"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(output, "LONGEST_POLL", 0)
        yield made
    made.close()


@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize("name", OPERATIONS)
def test_answers_are_as_the_document_says(world: World, name: str, mode: GenerationMode) -> None:
    """Whatever is asked in whatever state: an answer that the document foresees, never a fault."""
    operation = OPERATIONS[name]

    @settings(
        max_examples=8,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(mode), state=st.sampled_from(STATES), own=st.booleans())
    def ask(case: AnyCase, state: str, own: bool) -> None:
        if "session_id" in case.path_parameters:
            case.path_parameters["session_id"] = world.session(state)
        if mode is GenerationMode.POSITIVE:
            case.body = with_integers(case.body)
        keep_it_here(case, world.script if own else None)
        answer = send(world, case)
        case.validate_response(answer.response, checks=CHECKED)
        if answer.status >= 500:
            assert answer.error["code"] in REFUSED_STARTS, answer.error
        if mode is GenerationMode.POSITIVE and answer.status == 400:
            assert answer.error["code"] not in ("INVALID_REQUEST", "MISSING_PARAMETER")
        moves = case.method == "POST" and not case.path.endswith(("/evaluate", "/breakpoints"))
        world.tidy(state if moves else "")

    try:
        ask()
    except Unsatisfiable:
        assert mode is GenerationMode.NEGATIVE  # there is nothing in it that could be wrong


def keep_it_here(case: AnyCase, script: Path | None) -> None:
    """Let nothing that is made up touch another machine or somebody's process."""
    body: Any = case.body
    if not isinstance(body, dict):
        return
    if case.path.endswith("/attach"):
        if isinstance(body.get("pid"), int):
            body |= {"pid": NO_PROCESS, "connect_timeout": 1}
        if isinstance(body.get("port"), int):
            body |= {"host": "127.0.0.1", "port": 1, "connect_timeout": 1}
    if script is not None:
        if isinstance(body.get("script"), str):
            body["script"] = str(script)
        if isinstance(body.get("cwd"), str):
            body["cwd"] = str(script.parent)
        entries = body.get("breakpoints")
        for each in entries if isinstance(entries, list) else ():
            if isinstance(each, dict) and isinstance(each.get("source"), dict):
                each["source"]["path"] = str(script)


def with_integers(body: Any) -> Any:
    """The same with 5 for 5.0: schemas take both for integers, the contract does not."""
    if isinstance(body, float) and body.is_integer():
        return int(body)
    if isinstance(body, dict):
        return {name: with_integers(value) for name, value in body.items()}
    return [with_integers(each) for each in body] if isinstance(body, list) else body


def send(world: World, case: AnyCase) -> Answer:
    """Ask, in the bytes that another client would send."""
    kwargs = case.as_transport_kwargs(base_url=f"http://{HOST}{BASE}")
    kwargs.pop("cookies", None)
    wire = requests.Request(**kwargs).prepare()
    asked = httpx.Request(
        str(wire.method),
        str(wire.url),
        headers=[(name, str(value)) for name, value in wire.headers.items()],
        content=content_of(wire.body),
    )
    return Answer(world.run(world.relay.client.send(asked)))


def content_of(body: Any) -> bytes:
    """The bytes of a body."""
    return body.encode() if isinstance(body, str) else bytes(body or b"")


# Calls in any order

MOVES = {
    "created": {"launching"},
    "launching": {"running", "paused", "failed", "created"},
    "running": {"paused", "terminated", "failed"},
    "paused": {"running", "terminated", "failed"},
    "terminated": set[str](),
    "failed": set[str](),
}
"""What may follow a status at once; to ``created`` where the script is refused."""


PROGRAM_LINES = [*["plain"] * 3, "busy", *["plain"] * 3]
"""It is busy until it is paused; a step that comes there would wait for the pause."""

FEW = 6
"""Calls that a session gets before something may end it from outside."""


class Sessions(RuleBasedStateMachine):
    """One session, and what must be true of it after each call."""

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        self._stack = AsyncExitStack()
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-")
        self.script = Path(self._folder.name, "main.py")
        self.script.write_text("x = 1\n" * len(PROGRAM_LINES))
        made = {"plain": moment, "busy": busy}
        path = str(self.script)
        moments = [made[kind](path, line) for line, kind in enumerate(PROGRAM_LINES, 1)]
        fake = ProcessProfile(Script(program(moments)))
        opened = relay(profile=lambda: fake)
        self.relay = self._runner.run(self._stack.enter_async_context(opened))
        self.status, self.line, self.seq, self.calls = "", 0, 0, 0
        """The status that it must have (empty: there is none), and the line where it is."""
        self.gone: dict[str, tuple[int, str]] = {}
        """Tells how sessions that there were are refused now."""

    def teardown(self) -> None:
        self._runner.run(self._stack.aclose())
        self._runner.close()
        self._folder.cleanup()

    def ask(self, what: str, body: Any = None) -> Answer:
        return self._runner.run(self.relay.post(what, body))

    def get(self, what: str = "", **query: Any) -> Answer:
        return self._runner.run(self.relay.get(what, **query))

    def refused(self, answer: Answer) -> bool:
        """Returns whether it was not the time for that, which must have been told."""
        if answer.status < 400:
            return False
        assert answer.refusal == (409, "INVALID_SESSION_STATE")
        assert answer.error["details"]["current_state"] == self.status
        return True

    @precondition(lambda self: not self.status)
    @rule(start=st.sampled_from(["entry", "on", ""]))
    def create(self, start: str) -> None:
        data = self._runner.run(self.relay.create(project_root=self._folder.name))
        self.status, self.line, self.seq = data["status"], 0, 0
        assert self.status == "created"
        self.calls = 0
        if start:
            self.launch_it(start == "entry")

    @precondition(lambda self: self.status)
    @rule(stop_on_entry=st.booleans())
    def launch(self, stop_on_entry: bool) -> None:
        self.launch_it(stop_on_entry)

    def launch_it(self, stop_on_entry: bool) -> None:
        body = {"script": str(self.script), "stop_on_entry": stop_on_entry}
        answer = self.ask("launch", body)
        assert self.refused(answer) is (self.status != "created")
        if answer.status == 200:
            self.status = "paused" if stop_on_entry else "running"
            self.line = 1 if stop_on_entry else self.next_busy(0)
            assert answer.data["status"] in (self.status, "running")

    @precondition(lambda self: self.status)
    @rule()
    def launch_what_is_not_there(self) -> None:
        answer = self.ask("launch", {"script": "/nowhere/at/all.py"})
        if self.status == "created":
            assert answer.refusal == (400, "LAUNCH_SCRIPT_NOT_FOUND")
        else:
            assert self.refused(answer)

    @precondition(lambda self: self.status and self.kind(self.line + 1) != "busy")
    @rule(how=st.sampled_from(["step-over", "step-into"]))
    def step(self, how: str) -> None:
        answer = self.ask(how)
        assert self.refused(answer) is (self.status != "paused")
        if answer.status == 200:
            self.line += 1
            is_over = self.line > len(PROGRAM_LINES)
            self.status = "terminated" if is_over else "paused"
            assert answer.data["status"] == self.status
            place = answer.data["current_location"]
            assert place is None if is_over else place["line"] == self.line

    @precondition(lambda self: self.status)
    @rule()
    def go_on(self) -> None:
        answer = self.ask("continue")
        assert self.refused(answer) is (self.status != "paused")
        if answer.status == 200:
            self.line = self.next_busy(self.line)
            self.status = "running" if self.line else "terminated"

    @precondition(lambda self: self.status)
    @rule()
    def pause(self) -> None:
        answer = self.ask("pause")
        assert self.refused(answer) is (self.status != "running")
        if answer.status == 200:
            self.status = "paused"
            assert answer.data["status"] == "paused"

    @precondition(lambda self: self.status)
    @rule()
    def look(self) -> None:
        stack = self.get("stacktrace")
        assert self.refused(stack) is (self.status != "paused")
        assert self.refused(self.get("scopes")) is (self.status != "paused")
        assert self.refused(self.get("threads")) is (self.status not in ("running", "paused"))
        if stack.status == 200:
            assert stack.data["frames"][0]["line"] == self.line

    @precondition(lambda self: self.status in ("running", "paused") and self.calls > FEW)
    @rule()
    def adapter_dies(self) -> None:
        client = self.relay.hub.get(self.relay.session_id).session.adapter.client
        assert client is not None and client.process is not None
        client.process.popen.kill()
        self.status = "failed"

    @precondition(lambda self: self.status and self.calls > FEW)
    @rule()
    def delete(self) -> None:
        before = self.status
        final = self._runner.run(self.relay.delete()).data["final_status"]
        assert final == (before if before in ("created", "failed") else "terminated")
        self.forget(404, "SESSION_NOT_FOUND")

    @precondition(lambda self: self.status and self.calls > FEW)
    @rule()
    def expire(self) -> None:
        member = self.relay.hub.get(self.relay.session_id)
        member.last_used -= member.timeout + 1
        self.forget(410, "SESSION_EXPIRED")

    def moves_are_legal(self) -> None:
        """All of them, those between two calls included."""
        status = "created"
        for entry in self.relay.hub.get(self.relay.session_id).session.events.since(0):
            match entry.event:
                case StatusChanged():
                    after = str(entry.event.status)
                case Stopped():
                    after = "paused"
                case Continued():
                    after = "running"
                case _:
                    continue
            assert after == status or after in MOVES[status], f"{status} to {after}"
            status = after
        assert status == self.status

    def forget(self, status: int, code: str) -> None:
        self.gone[self.relay.session_id] = status, code
        self.status = ""

    @invariant()
    def all_is_well(self) -> None:
        self.calls += 1
        self.gone_ones_are_gone()
        if self.status:
            self.it_tells_the_truth()  # which waits for what the last call brings
            self.events_are_in_order()
            self.moves_are_legal()

    def gone_ones_are_gone(self) -> None:
        for session_id, refusal in self.gone.items():
            answer = self._runner.run(self.relay.ask("GET", f"/sessions/{session_id}"))
            assert answer.refusal == refusal

    def it_tells_the_truth(self) -> None:
        told = self._runner.run(self.relay.until_status(self.status))
        assert (told["current_location"] is not None) is (self.status == "paused")
        if self.status == "paused":
            assert told["current_location"]["line"] == self.line
            assert told["stopped_thread_id"] == 1

    def events_are_in_order(self) -> None:
        """Their numbers have no gaps; it ends once, after all else; stops and resumes alternate."""
        events = self._runner.run(self.relay.all_events())
        assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
        assert len(events) >= self.seq
        self.seq = len(events)
        kinds = [e["type"] for e in events]
        assert kinds.count("terminated") == (self.status in ("terminated", "failed"))
        moves = [kind for kind in kinds if kind in ("stopped", "continued")]
        assert all(a != b for a, b in pairwise(moves)), moves
        if self.status in ("paused", "running") and moves:
            assert moves[-1] == ("stopped" if self.status == "paused" else "continued")

    def kind(self, line: int) -> str:
        return PROGRAM_LINES[line - 1] if 0 < line <= len(PROGRAM_LINES) else ""

    def next_busy(self, line: int) -> int:
        """The line where it is busy next; 0 where it runs to its end."""
        lines = range(line + 1, len(PROGRAM_LINES) + 1)
        return next((each for each in lines if self.kind(each) == "busy"), 0)


TestSessions = Sessions.TestCase
TestSessions.settings = settings(
    max_examples=20,
    stateful_step_count=40,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
