"""Speaks to debugpy's server in a program that has called us, as debugpy's adapter would.

The server is pydevd, which speaks DAP. What the adapter, a process for each program, adds to that
is here: it says when breakpoints are taken, keeps what is told earlier until the program is
configured, lets all threads stop and go together, and tells of the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from tuidbg.adapters.client import DEFAULT_TIMEOUT, AdapterClient
from tuidbg.adapters.dap_log import DapLog
from tuidbg.adapters.errors import AdapterGone, AdapterLetGo, ServerGone
from tuidbg.dap.messages import Event, Request, decode_body

T = TypeVar("T")

_ALL_THREADS = {"threadId": "*"}

_LAST_ANSWERS = ("continue", "configurationDone")
"""Requests that let the program run to its end."""

_NOT_TAKEN = "Requests from the debug server to the client are not allowed."
"""A program must not have us run anything; its children call us themselves."""


class _Exited(msgspec.Struct):
    reason: str = msgspec.field(default="", name="pydevdReason")


class CallerClient(AdapterClient):
    """One conversation with one program that has called. Make it with ``over_line``."""

    def __init__(
        self,
        *,
        on_event: Callable[[Event], None],
        on_request: Callable[[Request], None],
        on_closed: Callable[[str], None],
        log: DapLog | None = None,
    ) -> None:
        super().__init__(
            on_event=self._take, on_request=self._refuse, on_closed=self._tell_end, log=log
        )
        self._tell, self._closed = on_event, on_closed
        self._held: list[Event] | None = []
        """What was told before the program was configured; None: it is."""
        self._says_goodbye = False

    async def _ask_adapter(
        self,
        command: str,
        arguments: object = None,
        *,
        into: type[T],
        timeout: float | None = DEFAULT_TIMEOUT,
    ) -> T:
        if command in ("continue", "pause"):
            arguments = {**msgspec.to_builtins(arguments), **_ALL_THREADS}
        if command == "launch":
            arguments = _without_output(msgspec.to_builtins(arguments))
        try:
            answer = await super()._ask_adapter(command, arguments, into=into, timeout=timeout)
        except AdapterGone as error:
            # The program may end before pydevd has sent its answer.
            if command not in _LAST_ANSWERS or isinstance(error, AdapterLetGo):
                raise
            answer = msgspec.convert({}, into)
        if command in ("attach", "launch"):
            self._tell(Event(event="initialized"))
        elif command == "configurationDone":
            self._release()
        return answer

    def _release(self) -> None:
        held, self._held = self._held or [], None
        has_ended = bool(self.gone)
        for event in held:
            self._take(event)
        if has_ended:
            self._note_end()

    def _take(self, event: Event) -> None:
        if self._held is not None:
            self._held.append(event)
        elif event.event == "terminated":
            self._says_goodbye = True
            self._end("the program has ended")
        elif event.event == "exited" and _is_replaced(event):
            self.is_replaced = True
        elif event.event != "initialized":
            self._tell(event)

    def _refuse(self, request: Request) -> None:
        self.respond(request, error=_NOT_TAKEN)

    def _describe_end(self) -> str:
        return "the program has closed the connection"

    def _why_gone(self, reason: str) -> AdapterGone:
        return super()._why_gone(reason) if self._is_leaving else ServerGone(reason)

    def _tell_end(self, reason: str) -> None:
        if self._held is None:
            self._note_end()
        self._closed(reason)

    def _note_end(self) -> None:
        self.is_cut = not (self._says_goodbye or self._is_leaving or self.is_replaced)
        self._tell(Event(event="terminated"))


def _is_replaced(event: Event) -> bool:
    return decode_body(event.body, _Exited).reason == "processReplaced"


def _without_output(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of ``launch`` where tuidbg reads the program's output itself."""
    is_captured = arguments.pop("redirectOutput", None) is True
    options = [each for each in arguments.get("debugOptions", ()) if each != "RedirectOutput"]
    is_captured |= arguments.get("console") == "internalConsole"
    return {**arguments, "debugOptions": options, "isOutputRedirected": is_captured}
