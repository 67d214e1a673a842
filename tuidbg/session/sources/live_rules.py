"""The rules of which sources are passed over, put in force in a program that runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tuidbg.adapters.errors import AdapterError
from tuidbg.dap.types import EvaluateBody
from tuidbg.session.core import HasAdapter, Tells
from tuidbg.session.errors import AdapterFailed, UnsupportedByAdapter
from tuidbg.session.evaluation.own_questions import own_question
from tuidbg.session.events import SourcesChanged

if TYPE_CHECKING:
    from tuidbg.session.sources.rules import Sources


class _Reconsiders(Protocol):
    async def reconsider_all(self) -> None:
        """Look at all breakpoints again: other lines may be the person's own now."""


class Ruled(HasAdapter, Tells, Protocol):
    """A session some of whose sources are passed over."""

    @property
    def sources(self) -> Sources:
        """The sources that are passed over."""

    @property
    def breakpoints(self) -> _Reconsiders:
        """The breakpoints."""


class LiveRules:
    """Lets the program of one session follow the rules."""

    def __init__(self, session: Ruled) -> None:
        self._session = session

    async def learn_roots(self) -> None:
        """Ask the adapter which folders are libraries; without an answer it is guessed."""
        session = self._session
        question = session.profile.sources.roots_question
        if not question or not session.adapter.is_configurable or session.sources.knows_roots:
            return
        try:
            arguments = own_question(question)
            answer = await session.adapter.request("evaluate", arguments, into=EvaluateBody)
        except AdapterError:
            return
        session.sources.learn_roots(*session.profile.sources.read_roots(answer.result))

    def why_none(self) -> str:
        """Say why nobody chooses which sources are passed over; nothing where that can be."""
        profile = self._session.profile
        if profile.sources.arguments(True, [], []):
            return ""
        return f"{profile.name} steps into all functions whose source is known"

    async def apply(self, *, origin: str) -> None:
        """Put the rules of ``sources`` in force at once; a later launch takes them anyway.

        Raises UnsupportedByAdapter, AdapterFailed.
        """
        session = self._session
        try:
            if session.adapter.is_configurable:
                await self.put_in_force()
        finally:
            session.publish(SourcesChanged(just_my_code=session.sources.just_my_code), origin)

    async def put_in_force(self) -> None:
        """Let the program follow ``sources``. Raises UnsupportedByAdapter, AdapterFailed."""
        session = self._session
        expression = session.profile.sources.live_rules(
            session.sources.just_my_code, session.sources.render()
        )
        if not expression:
            raise UnsupportedByAdapter("this debug adapter takes that with the next start only")
        try:
            arguments = own_question(expression)
            await session.adapter.request("evaluate", arguments, into=EvaluateBody)
        except AdapterError as error:
            raise AdapterFailed(f"just-my-code could not be switched: {error}") from error
        await session.breakpoints.reconsider_all()
