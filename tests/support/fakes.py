"""The test's side of the fake adapter: scripts, profiles that start them, and a control line.

``FakeProfile`` has the adapter in the test's own process; ``ProcessProfile`` starts one, for tests
of what only a process does: its end, its signals, its stderr.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.support.fake_program import Json
from tests.support.local_adapter import LocalAdapter
from tests.support.recording import default_program
from tests.support.waiting import PATIENCE
from tuidbg.adapters.client import AdapterClient
from tuidbg.adapters.languages import PYTHON
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.adapters.traits import (
    Attach,
    Ending,
    Exceptions,
    FunctionFacts,
    FunctionPlace,
    Launch,
    Line,
    SourceFacts,
    Sources,
    Start,
    Stops,
    Values,
)
from tuidbg.config.launch import AttachPlan, Console, LaunchPlan, Plan, TargetKind

ROOT = Path(__file__).parents[2]

HANDSHAKES: dict[str, dict[str, list[str]]] = {
    "debugpy": {
        "initialize": ["initialize"],
        "launch": ["initialized"],
        "configurationDone": ["configurationDone", "launch", "process", "thread", "begin"],
    },
    "lldb-19": {
        "initialize": ["initialize"],
        "launch": ["launch", "process", "initialized"],
        "configurationDone": ["configurationDone", "begin"],
    },
    "lldb-22": {
        "initialize": ["initialize", "initialized"],
        "configurationDone": ["capabilities", "process", "configurationDone", "launch", "begin"],
    },
    "dlv": {
        "initialize": ["initialize"],
        "launch": ["initialized", "launch"],
        "configurationDone": ["configurationDone", "begin"],
    },
    "codelldb": {
        "initialize": ["initialize"],
        "launch": ["initialized"],
        "configurationDone": ["launch", "configurationDone", "process", "begin"],
    },
    "bash": {
        "initialize": ["initialize"],
        "launch": ["launch", "initialized"],
        "configurationDone": ["begin", "configurationDone"],
    },
    "without configurationDone": {
        "initialize": ["initialize"],
        "launch": ["launch", "initialized"],
        "setExceptionBreakpoints": ["begin"],
    },
}
"""Tells when adapters send what: for each request the messages that it lets go, in their order."""

CAPABILITIES: Json = {
    "supportsConfigurationDoneRequest": True,
    "supportsConditionalBreakpoints": True,
    "supportsDelayedStackTraceLoading": True,
    "supportsEvaluateForHovers": True,
    "supportsExceptionInfoRequest": True,
    "exceptionBreakpointFilters": [
        {"filter": "raised", "label": "Raised Exceptions", "default": False},
        {"filter": "uncaught", "label": "Uncaught Exceptions", "default": True},
    ],
}
"""Holds what the fake announces unless the script says otherwise."""


def rule(on: str, do: str, **details: Any) -> Json:
    """A rule of a script; see ``fake_adapter.py``."""
    return {"on": on, "do": do, **details}


@dataclass
class Script:
    """Holds what a fake adapter plays."""

    program: Json = field(default_factory=default_program)
    handshake: dict[str, list[str]] = field(default_factory=lambda: HANDSHAKES["debugpy"])
    capabilities: Json = field(default_factory=lambda: dict(CAPABILITIES))
    later_capabilities: Json = field(default_factory=dict)
    rules: list[Json] = field(default_factory=list)
    quirks: Json = field(default_factory=dict)
    control: int = 0


class _LocalStart(Start):
    line = Line.RUNS_ALREADY
    address = ("the test's own process", 0)

    def __init__(self, profile: FakeProfile) -> None:
        self._profile = profile

    def command(self, address: str = "") -> list[str]:
        return [sys.executable]

    async def reach(self, client: AdapterClient) -> None:
        ours, theirs = socket.socketpair()
        script = json.loads(json.dumps(asdict(self._profile.script)))
        control = self._profile.control
        adapter = LocalAdapter(script) if control is None else control.begin(script)
        await adapter.serve(theirs)
        await client.over_line(ours, client.connection)


class _ProcessStart(Start):
    def __init__(self, profile: FakeProfile) -> None:
        self._profile = profile
        self._folder = tempfile.TemporaryDirectory(prefix="fake-adapter-")
        self._starts = 0

    def command(self, address: str = "") -> list[str]:
        self._starts += 1
        if self._profile.control is not None:
            self._profile.script.control = self._profile.control.port
        file = Path(self._folder.name) / f"script-{self._starts}.json"
        file.write_text(json.dumps(asdict(self._profile.script)), encoding="utf-8")
        start = (
            f"import sys; sys.path.insert(0, {str(ROOT)!r});"
            f"from tests.support.fake_adapter import play; play({str(file)!r})"
        )
        return [sys.executable, "-E", "-S", "-c", start]


class _FakeLaunch(Launch):
    by_interpreter = True

    def __init__(self, profile: FakeProfile) -> None:
        self._profile = profile

    def arguments(self, plan: LaunchPlan, target: SourceFacts, tty: str = "") -> dict[str, Any]:
        return {
            "program": plan.target,
            "stopOnEntry": plan.stop_on_entry and self._profile.own_entry_line is None,
        }

    def entry_line(self, plan: LaunchPlan, target: SourceFacts) -> int | None:
        return self._profile.own_entry_line


class _FakeAttach(Attach):
    def arguments(self, plan: AttachPlan) -> dict[str, Any]:
        return {}

    def obstacle(self, pid: int) -> str:
        return ""


class _FakeSources(Sources):
    def __init__(self, profile: FakeProfile) -> None:
        self._profile = profile

    def arguments(
        self,
        just_my_code: bool,
        rules: Sequence[dict[str, Any]],
        mappings: Sequence[dict[str, str]],
    ) -> dict[str, Any]:
        return {"justMyCode": just_my_code}

    async def examine_target(self, plan: Plan) -> SourceFacts:
        return SourceFacts(plan.target, self._profile.code_lines.get(plan.target, ()))

    async def examine(self, plan: Plan, paths: Sequence[str]) -> Sequence[SourceFacts]:
        return [SourceFacts(path, self._profile.code_lines.get(path, ())) for path in paths]

    async def find_function(
        self, plan: Plan, name: str, files: Sequence[str] = ()
    ) -> FunctionFacts:
        places = self._profile.functions.get(name, ())
        return FunctionFacts(places, "" if places else f"there is no function named {name}")


class _FakeExceptions(Exceptions):
    moments = ("uncaught",)
    filter_names = MappingProxyType(
        {
            "raised": "raised",
            "uncaught": "uncaught",
            "user_uncaught": "userUnhandled",
        }
    )


class _FakeStops(Stops):
    pauses_need = "Python code"
    pauses_wait_in = "the program may be in input() or in a long C call"


class _FakeValues(Values):
    console_hint = "expression or statement"
    prompt_context = "repl"


class _FakeEnding(Ending):
    def exit_signal(self, code: int) -> str:
        return "SIGKILL" if code == 137 else ""


class FakeProfile(AdapterProfile):
    """A profile whose adapter is the fake, in the test's process; each start plays ``script``.

    ``code_lines`` are those that its interpreter would report; none where only the adapter knows.
    ``functions`` are the places of the functions that it would find, by name.
    """

    name = "fake"
    language = PYTHON
    attach = _FakeAttach()
    exceptions = _FakeExceptions()
    stops = _FakeStops()
    values: Values = _FakeValues()
    ending = _FakeEnding()

    def __init__(self, script: Script | None = None, *, control: Control | None = None) -> None:
        self.script = script or Script()
        self.control = control
        self.code_lines: dict[str, tuple[int, ...]] = {}
        self.functions: dict[str, tuple[FunctionPlace, ...]] = {}
        self.own_entry_line: int | None = None
        self.start: Start = _LocalStart(self)
        self.launch = _FakeLaunch(self)
        self.sources = _FakeSources(self)


class ProcessProfile(FakeProfile):
    """The same with the adapter as a process, spoken to by its stdin and stdout."""

    def __init__(self, script: Script | None = None, *, control: Control | None = None) -> None:
        super().__init__(script, control=control)
        self.start = _ProcessStart(self)


@dataclass(frozen=True)
class Received:
    """A request that an adapter has got; ``run`` counts the adapters of a test from 1."""

    run: int
    command: str
    arguments: Json | None


class Control:
    """A line to the running fake adapter: what it has received, and orders to it."""

    def __init__(self) -> None:
        self.requests: list[Received] = []
        self.responses: list[Json] = []
        self.runs = 0
        self.port = 0
        self._server: asyncio.Server | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._local: list[LocalAdapter] = []
        self._changed = asyncio.Event()
        self._sent = 0
        self._done: set[int] = set()

    async def open(self) -> None:
        """Listen for adapters that are processes."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 24)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Adapters that still live end when their control line does."""
        for adapter in self._local:
            adapter.close()
        if self._writer is not None:
            self._writer.close()
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def begin(self, script: Json) -> LocalAdapter:
        """A new adapter of this process's, which reports here."""
        self.runs += 1
        adapter = LocalAdapter(script, partial(self._note, self.runs))
        self._local.append(adapter)
        self._notify()
        return adapter

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.runs += 1
        run = self.runs
        self._writer = writer
        self._notify()
        try:
            async for line in reader:
                self._note(run, json.loads(line))
        except ConnectionError:
            pass  # it was killed
        finally:
            writer.close()

    def _note(self, run: int, news: Json) -> None:
        if "request" in news:
            self.requests.append(Received(run, news["request"], news["arguments"]))
        elif "response" in news:
            self.responses.append(news["response"])
        else:
            self._done.add(news["done"])
        self._notify()

    def _notify(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def _until(self, condition: Callable[[], bool], timeout: float = PATIENCE) -> None:
        async with asyncio.timeout(timeout):
            while not condition():
                await self._changed.wait()

    def arguments_of(self, command: str) -> list[Json]:
        """The arguments of all requests of that name, oldest first."""
        return [r.arguments or {} for r in self.requests if r.command == command]

    def count(self, command: str) -> int:
        """Returns how often that was asked for."""
        return len(self.arguments_of(command))

    async def until_request(self, command: str, count: int = 1, timeout: float = PATIENCE) -> Json:
        """Wait until an adapter has got ``command`` so often; the arguments of the last of them."""
        await self._until(lambda: self.count(command) >= count, timeout)
        return self.arguments_of(command)[count - 1]

    async def until_response(self, timeout: float = PATIENCE) -> Json:
        """Wait for an answer to a request of the adapter's; the newest."""
        await self._until(lambda: bool(self.responses), timeout)
        return self.responses[-1]

    async def _order(self, **order: Any) -> None:
        await self._until(lambda: bool(self._local) or self._writer is not None)
        if self._local:
            self._local[-1].obey(json.loads(json.dumps(order)))
            return
        self._sent += 1
        number = self._sent
        assert self._writer is not None
        self._writer.write(json.dumps({"number": number, **order}).encode() + b"\n")
        if order["do"] != "die":
            await self._until(lambda: number in self._done)

    async def release(self, command: str) -> None:
        """Let go of what a ``hold`` rule held back."""
        await self._order(do="release", command=command)

    async def send_event(self, event: str, body: Json | None = None) -> None:
        """Tell something out of turn."""
        await self.send({"type": "event", "event": event, "body": body or {}})

    async def send_request(self, command: str, arguments: Json) -> None:
        """Ask the client for something."""
        await self.send({"type": "request", "command": command, "arguments": arguments})

    async def send(self, *messages: Json) -> None:
        """Any messages; ``{"raw": text}`` goes out as it is."""
        await self._order(do="send", messages=messages)

    async def send_raw(self, data: bytes) -> None:
        """Bytes that need not be a message."""
        await self.send({"raw": data.decode("latin-1")})

    async def wake(self) -> None:
        """End what kept the program busy."""
        await self._order(do="wake")

    async def end_program(self, code: int = 0) -> None:
        """The program ends by itself."""
        await self._order(do="end", code=code)

    async def stop(self, reason: str) -> None:
        """The program stops where it is, for a reason of its own."""
        await self._order(do="stop", reason=reason)

    async def add_rule(self, on: str, do: str, **details: Any) -> None:
        """A further rule; its ``nth`` counts from now."""
        await self._order(do="rule", rule=rule(on, do, **details))

    async def close_stdout(self) -> None:
        """Say nothing more, and live on."""
        await self._order(do="close_stdout")

    async def die(self, **how: Any) -> None:
        """End at once: ``code`` or ``signal``, and what is said on ``stderr`` before."""
        await self._order(do="die", **how)


def fake_plan(target: str, cwd: str, **changes: Any) -> LaunchPlan:
    """A plan for a program that only the fake adapter knows."""
    fields: Json = {
        "kind": TargetKind.SCRIPT,
        "target": target,
        "cwd": cwd,
        "python": sys.executable,
        "console": Console.INTERNAL,
        **changes,
    }
    return LaunchPlan(**fields)


def lines_of(messages: Iterable[Json]) -> list[int]:
    """The lines of a ``setBreakpoints`` request's breakpoints."""
    return [each["line"] for each in messages]
