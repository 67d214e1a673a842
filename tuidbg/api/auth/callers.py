"""Callers, their scopes, and the one gate that every call passes.

The gate refuses calls without the scope, or while agents are paused; it shows each call in the
user's activity list and writes the ones that run code into the audit log. A front end passes each
call through it once: REST by the dependency ``needs``, protocols with a single address by
``AccessGate.admit``.
"""

import enum
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import msgspec

from tuidbg.session.core.redaction import Redaction
from tuidbg.session.hub.api_call_log import OpenCall
from tuidbg.session.hub.hub import Hub
from tuidbg.session.model.errors import AgentsPaused, DebuggerError

# No `from __future__ import annotations`: FastAPI reads the annotations of the function that
# `needs` returns. FastAPI is imported in there, so that the command line can read scopes without
# it.


class TokenScope(enum.StrEnum):
    """The permissions of a token."""

    READ = "read"
    """Read state, stack, values, output, events."""
    CONTROL = "control"
    """Step, continue, pause, set breakpoints, create and delete sessions."""
    EVALUATE = "evaluate"
    """Run expressions in the program, also as conditions and watches."""
    LAUNCH = "launch"
    """Start programs, attach to them, build."""


ALL_SCOPES = frozenset(TokenScope)


class Caller(msgspec.Struct, frozen=True):
    """The author of a call. ``actor`` is the token's name, ``origin`` the protocol (rest, bridge,
    mcp).

    ``redact`` says how much possible secret content is withheld from the caller.
    """

    actor: str = "anonymous"
    scopes: frozenset[TokenScope] = ALL_SCOPES
    origin: str = "rest"
    redact: Redaction = Redaction.NOTHING


class ScopeMissing(DebuggerError):
    """A token without the required scope; 403 FORBIDDEN."""

    def __init__(self, scope: TokenScope, caller: Caller) -> None:
        super().__init__(f"the token {caller.actor!r} does not allow to {_VERBS[scope]}")
        self.scope, self.caller = scope, caller


_VERBS = {
    TokenScope.READ: "read",
    TokenScope.CONTROL: "control the program",
    TokenScope.EVALUATE: "evaluate",
    TokenScope.LAUNCH: "launch programs",
}


class Auditor(Protocol):
    """The interface of the audit log (``audit.py``)."""

    def write(
        self, caller: Caller, scope: TokenScope, action: str, session_id: str, what: str
    ) -> None:
        """Write one line."""


class AccessGate:
    """The access check of each call, for all protocols."""

    def __init__(self, hub: Hub, audit: Auditor | None = None) -> None:
        self.hub = hub
        self._audit = audit

    @contextmanager
    def admit(
        self,
        caller: Caller,
        scope: TokenScope,
        action: str,
        *,
        arguments: str = "",
        session_id: str = "",
    ) -> Iterator[OpenCall]:
        """Admit a call and record it in the activity list for its duration.

        Raises ScopeMissing, and AgentsPaused while the user has paused agents.
        """
        with self.hub.activity.note(
            action,
            actor=caller.actor,
            origin=caller.origin,
            arguments=arguments,
            session_id=session_id,
        ) as call:
            if (
                scope in caller.scopes
                and scope is not TokenScope.READ
                and self.hub.held is not None
            ):
                raise AgentsPaused(action, self.hub.held)
            self.demand(caller, scope, action, arguments=arguments, session_id=session_id)
            yield call

    def demand(
        self,
        caller: Caller,
        scope: TokenScope,
        action: str,
        *,
        arguments: str = "",
        session_id: str = "",
    ) -> None:
        """Require a further scope within an admitted call. Raises ScopeMissing."""
        if scope not in caller.scopes:
            raise ScopeMissing(scope, caller)
        if self._audit is not None and scope in (TokenScope.EVALUATE, TokenScope.LAUNCH):
            self._audit.write(caller, scope, action, session_id, arguments)

    def demand_code(
        self, caller: Caller, action: str, session_id: str, texts: Iterable[str]
    ) -> None:
        """Require the evaluate scope for texts that run in the program. Raises ScopeMissing."""
        if code := "; ".join(text for text in texts if text):
            self.demand(caller, TokenScope.EVALUATE, action, arguments=code, session_id=session_id)


def needs(scope: TokenScope) -> Any:
    """Make a route's dependency on a scope (``dependencies=[needs(Scope.READ)]``).

    The call is then in ``request.state.call`` (report its outcome there), the caller in
    ``request.state.caller``, set by the security middleware. The application's ``AccessGate`` is in
    ``app.state.gate``.
    """
    from fastapi import Depends, Request
    from fastapi.exceptions import RequestValidationError

    async def admit(request: Request) -> AsyncIterator[None]:
        gate: AccessGate = request.app.state.gate
        body = await request.body()  # already read, and cached
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
