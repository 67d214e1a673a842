"""Who calls, what they may do, and the one gate that every call of a program passes.

The gate says no to whoever may not, or may not now; it shows each call to the person in the
activity and writes those that run code into the audit log. A front end asks it once per call:
REST by the dependency ``needs``, dialects with one address for all by ``Gate.admit``.
"""

import enum
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import msgspec

from tuidbg.session.errors import AgentsPaused, DebuggerError
from tuidbg.session.hub import Hub
from tuidbg.session.redaction import Redaction
from tuidbg.session.serving.api_call_log import OpenCall

# No `from __future__ import annotations`: FastAPI reads the annotations of what `needs` returns,
# and FastAPI is imported in there, so that the command line can read scopes without it.


class Scope(enum.StrEnum):
    """Names what a token allows."""

    READ = "read"
    """Look: state, stack, values, output, events."""
    CONTROL = "control"
    """Step, go on, pause, breakpoints, make and delete sessions."""
    EVALUATE = "evaluate"
    """Run expressions in the program, conditions and watches too."""
    LAUNCH = "launch"
    """Start programs, attach to them, build."""


ALL_SCOPES = frozenset(Scope)


class Caller(msgspec.Struct, frozen=True):
    """Who calls. ``actor`` is the name of the token, ``origin`` the way (rest, bridge, mcp).

    ``redact``: how much of what may be a secret is not for them.
    """

    actor: str = "anonymous"
    scopes: frozenset[Scope] = ALL_SCOPES
    origin: str = "rest"
    redact: Redaction = Redaction.NOTHING


class ScopeMissing(DebuggerError):
    """The token does not allow that; 403 FORBIDDEN."""

    def __init__(self, scope: Scope, caller: Caller) -> None:
        super().__init__(f"the token {caller.actor!r} does not allow to {_VERBS[scope]}")
        self.scope, self.caller = scope, caller


_VERBS = {
    Scope.READ: "read",
    Scope.CONTROL: "control the program",
    Scope.EVALUATE: "evaluate",
    Scope.LAUNCH: "launch programs",
}


class Auditor(Protocol):
    """Writes down who ran what; see ``audit.py``."""

    def write(self, caller: Caller, scope: Scope, action: str, session_id: str, what: str) -> None:
        """One line."""


class Gate:
    """Lets each call pass, or refuses it, whatever way it came."""

    def __init__(self, hub: Hub, audit: Auditor | None = None) -> None:
        self.hub = hub
        self._audit = audit

    @contextmanager
    def admit(
        self,
        caller: Caller,
        scope: Scope,
        action: str,
        *,
        arguments: str = "",
        session_id: str = "",
    ) -> Iterator[OpenCall]:
        """Let a call in, noted for as long as it takes.

        Raises ScopeMissing, and AgentsPaused while a person keeps the controls.
        """
        with self.hub.activity.note(
            action,
            actor=caller.actor,
            origin=caller.origin,
            arguments=arguments,
            session_id=session_id,
        ) as call:
            if scope in caller.scopes and scope is not Scope.READ and self.hub.held is not None:
                raise AgentsPaused(action, self.hub.held)
            self.demand(caller, scope, action, arguments=arguments, session_id=session_id)
            yield call

    def demand(
        self,
        caller: Caller,
        scope: Scope,
        action: str,
        *,
        arguments: str = "",
        session_id: str = "",
    ) -> None:
        """A call that is in already turns out to want this, too. Raises ScopeMissing."""
        if scope not in caller.scopes:
            raise ScopeMissing(scope, caller)
        if self._audit is not None and scope in (Scope.EVALUATE, Scope.LAUNCH):
            self._audit.write(caller, scope, action, session_id, arguments)

    def demand_code(
        self, caller: Caller, action: str, session_id: str, texts: Iterable[str]
    ) -> None:
        """Texts that will run in the program are evaluated. Raises ScopeMissing."""
        if code := "; ".join(text for text in texts if text):
            self.demand(caller, Scope.EVALUATE, action, arguments=code, session_id=session_id)


def needs(scope: Scope) -> Any:
    """A route's dependency: who calls may do this (``dependencies=[needs(Scope.READ)]``).

    The call is then in ``request.state.call`` (say there what came of it), the caller in
    ``request.state.caller``, where the security middleware puts it. The application has its
    ``Gate`` in ``app.state.gate``.
    """
    from fastapi import Depends, Request
    from fastapi.exceptions import RequestValidationError

    async def admit(request: Request) -> AsyncIterator[None]:
        gate: Gate = request.app.state.gate
        body = await request.body()  # read already, and kept
        with gate.admit(
            request.state.caller,
            scope,
            request.scope["route"].operation_id or request.scope["route"].name,
            arguments=(body.decode("utf-8", "replace") or request.url.query),
            session_id=request.path_params.get("session_id", ""),
        ) as call:
            request.state.call = call
            try:
                yield
            except RequestValidationError as error:
                first: Any = error.errors()[0]
                call.fail(f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
                raise

    return Depends(admit)
