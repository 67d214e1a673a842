"""Agents with the tool set ``lldb``: on stdio and on HTTP, one for many tests.

A client must be closed by the task that has opened it, and tests come and go: so each runs in a
thread with a loop of its own, and tests call it like any function.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from tests.support.agents import AgentUnderTest, Json
from tests.support.waiting import PATIENCE
from tuidbg.session.hub.hub import Hub

T = TypeVar("T")

_REFUSAL = re.compile(r"\[(?P<code>\d{4})\] (?P<message>.+)", re.DOTALL)


class RefusedByCode(Exception):
    """A tool answered with ``[code] message``."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        found = _REFUSAL.fullmatch(text)
        assert found is not None, text
        self.code, self.message = int(found["code"]), found["message"]


class LldbAgent:
    """A client with what tests ask of it again and again; its tools go without ``lldb_``."""

    def __init__(self, loop: asyncio.AbstractEventLoop, agent: AgentUnderTest) -> None:
        self._loop = loop
        self.agent = agent

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something in the agent's loop, and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE * 2)

    def end(self, ended: asyncio.Event) -> None:
        """Let it go."""
        self._loop.call_soon_threadsafe(ended.set)

    @property
    def hub(self) -> Hub:
        """The hub behind it; only where the server is in this process."""
        return self.agent.hub

    async def tell(self, tool: str, /, **arguments: Any) -> Json:
        """Returns what a tool answers, in the agent's loop. Raises RefusedByCode."""
        result = await self.agent.client.call_tool(f"lldb_{tool}", arguments)
        (content,) = result.content
        text: str = content.text  # type: ignore[union-attr]
        if result.is_error:
            raise RefusedByCode(text)
        told: Json = json.loads(text)
        return told

    def told(self, tool: str, /, **arguments: Any) -> Json:
        """Returns what a tool answers. Raises RefusedByCode."""
        return self.run(self.tell(tool, **arguments))

    def refusal(self, tool: str, /, **arguments: Any) -> RefusedByCode:
        """Returns why a tool refuses."""
        try:
            told = self.told(tool, **arguments)
        except RefusedByCode as refused:
            return refused
        raise AssertionError(f"not refused: {told}")

    def begin(self, binary: Path | None = None) -> str:
        """A session, with a target if one is given."""
        session_id: str = self.told("initialize")["sessionId"]
        if binary is not None:
            self.told("createTarget", sessionId=session_id, file=str(binary))
        return session_id

    def launch(self, binary: Path, *args: str, **more: Any) -> str:
        """A session whose program stands in ``main``."""
        session_id = self.begin(binary)
        told = self.told("launch", sessionId=session_id, args=list(args), **more)
        assert told["process"]["state"] == "stopped", told
        self.events(session_id)
        return session_id

    def events(self, session_id: str) -> list[Json]:
        """All events that it has not been told of yet."""
        found: list[Json] = []
        while told := self.told("pollEvents", sessionId=session_id)["events"]:
            found += told
        return found

    def go_on(self, session_id: str, until: str = "") -> list[Json]:
        """Let the program run until it stops or ends (or an event ``until``); what happened."""
        self.told("continue", sessionId=session_id)
        return self.wait(session_id, until)

    def wait(self, session_id: str, until: str = "") -> list[Json]:
        """The events up to the next stop or end, or to one of type ``until``."""
        found: list[Json] = []
        deadline = time.monotonic() + PATIENCE
        while not any(_is_end(each, until) for each in found):
            assert time.monotonic() < deadline, found
            found += self.events(session_id)
        return found

    def hits(self, session_id: str) -> dict[int, int]:
        """Returns how often each breakpoint was hit."""
        listed = self.told("listBreakpoints", sessionId=session_id)["breakpoints"]
        return {each["id"]: each["hitCount"] for each in listed}


def _is_end(event: Json, until: str) -> bool:
    if until:
        return bool(event["type"] == until)
    return event["type"] == "processExited" or event.get("state") == "stopped"


@contextmanager
def hosted(client: AbstractAsyncContextManager[AgentUnderTest]) -> Iterator[LldbAgent]:
    """An agent in a thread of its own."""
    ready = threading.Event()
    ended = asyncio.Event()
    found: list[LldbAgent] = []

    async def whole() -> None:
        async with client as agent:
            found.append(LldbAgent(asyncio.get_running_loop(), agent))
            ready.set()
            await ended.wait()

    def serve() -> None:
        try:
            asyncio.run(whole())
        finally:
            ready.set()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        assert ready.wait(PATIENCE) and found, "the agent is connected"
        yield found[0]
    finally:
        if found:
            found[0].end(ended)
        thread.join(PATIENCE)
