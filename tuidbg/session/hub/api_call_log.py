"""The log of API calls to the sessions: each with its actor, arguments, result and time.

It shows the user an agent's actions and their results. Only one line of a call's result is kept.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.events import EventLog, SessionEvent
from tuidbg.session.model.state import StateValue

KEPT = 2_000
"""Maximum number of calls remembered."""

_LONGEST = 500
"""Characters kept of arguments and of a result."""


class ApiCall(StateValue, frozen=True):
    """One call of an API client. ``seconds`` is None while it is under way.

    ``actor`` is the caller's name in its token (``anonymous`` without one), ``origin`` its
    interface (``rest``, ``bridge``, ``mcp``). ``result`` is a line: the reply, or the error.
    """

    number: int
    time: float
    actor: str
    origin: str
    action: str
    arguments: str = ""
    session_id: str = ""
    result: str = ""
    failed: bool = False
    seconds: float | None = None


class CallNoted(SessionEvent, frozen=True):
    """A call began or ended."""

    call: ApiCall


class OpenCall:
    """A call under way; its server sets the result here."""

    def __init__(self) -> None:
        self.result = ""
        self.failed = False

    def succeed(self, result: str) -> None:
        """Set the result of a success."""
        self.result = result

    def fail(self, result: str) -> None:
        """Set the result of a refusal."""
        self.result, self.failed = result, True


class Activity:
    """The newest calls, oldest first; ``events`` reports each as it begins and ends."""

    def __init__(self) -> None:
        self.events = EventLog(limit=KEPT)
        self._calls: OrderedDict[int, ApiCall] = OrderedDict()
        self._count = 0

    def __iter__(self) -> Iterator[ApiCall]:
        return iter(tuple(self._calls.values()))

    def __len__(self) -> int:
        return len(self._calls)

    @contextmanager
    def note(
        self, action: str, *, actor: str, origin: str, arguments: str = "", session_id: str = ""
    ) -> Iterator[OpenCall]:
        """Record a call for as long as it takes; a raised error is its result."""
        self._count += 1
        number, began = self._count, time.perf_counter()
        call = ApiCall(
            number=number,
            time=time.time(),
            actor=actor,
            origin=origin,
            action=action,
            arguments=_cut(arguments),
            session_id=session_id,
        )
        self._keep(call)
        under_way = OpenCall()
        try:
            yield under_way
        except BaseException as error:
            if not under_way.failed:
                known = isinstance(error, DebuggerError)
                under_way.fail(str(error) if known else type(error).__name__)
            raise
        finally:
            self._keep(
                msgspec.structs.replace(
                    call,
                    result=_cut(under_way.result),
                    failed=under_way.failed,
                    seconds=time.perf_counter() - began,
                )
            )

    def _keep(self, call: ApiCall) -> None:
        self._calls[call.number] = call
        while len(self._calls) > KEPT:
            self._calls.popitem(last=False)
        self.events.append(CallNoted(call=call), call.origin)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
