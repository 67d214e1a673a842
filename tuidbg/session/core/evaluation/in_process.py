"""Tuidbg's own queries inside the stopped program, each as one evaluation.

DAP has no request for a page of a list sorted by value, the chain of an exception or the tasks of
an event loop. Where the adapter can run tuidbg modules in the program (``AdapterProfile.inside``),
they answer; they are loaded on first use. Front ends don't use this: each noun (tables, tasks,
watches ...) has a part of the session that does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tuidbg.dap.messages import decode_json
from tuidbg.session.model.errors import AdapterFailed, EvaluationFailed, UnsupportedByAdapter

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


T = TypeVar("T")


class InsideLink:
    """The queries of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._installed: set[str] = set()

    def reset(self) -> None:
        """Reset, as there is no program any more."""
        self._installed.clear()

    @property
    def is_possible(self) -> bool:
        """True if this adapter supports queries."""
        return self._session.profile.inside is not None

    async def ask(
        self, module: str, function: str, into: type[T], *, frame_id: int | None, **arguments: Any
    ) -> T:
        """Call ``function`` of the inside ``module`` in a frame (None: in no frame).

        Raises UnsupportedByAdapter, EvaluationFailed, AdapterFailed, StaleReply, and
        InvalidSessionState while the program runs.
        """
        inside = self._session.profile.inside
        if inside is None:
            raise UnsupportedByAdapter("this debug adapter can't answer that")
        await self.load(module)
        expression = inside.call(module, function, arguments)
        # The clipboard context is the only one in which nothing is truncated.
        answer = await self._session.inspection.evaluate(expression, frame_id, "clipboard")
        try:
            return decode_json(inside.read(answer.value), into)
        except (msgspec.MsgspecError, ValueError, SyntaxError) as error:
            if why := inside.read_refusal(answer.value):
                raise EvaluationFailed(why) from error
            raise AdapterFailed(f"unexpected reply from the debuggee: {error}") from error

    async def load(self, *modules: str) -> None:
        """Load these inside modules and their dependencies, unless already loaded.

        ``ask`` does so for its own. Raises the same errors.
        """
        inside = self._session.profile.inside
        if inside is None:
            raise UnsupportedByAdapter("this debug adapter can't answer that")
        needed = dict.fromkeys(each for name in modules for each in inside.needed_by(name))
        if missing := [name for name in needed if name not in self._installed]:
            await self._session.inspection.evaluate(inside.install(*missing), None)
            self._installed.update(missing)
