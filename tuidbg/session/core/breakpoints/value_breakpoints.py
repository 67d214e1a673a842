"""Stops when a value changes: by the adapter's data breakpoints, or at lines of the program.

Python has no data breakpoints. There the value is compared in the program: from 3.12 on at each
line of user code, else at each line of the current function (or of the module's top level). In the
latter case changes made elsewhere are detected only when this function continues. The reply says
which.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from tuidbg.dap import types as dap
from tuidbg.session.core.values.in_process import MODULES
from tuidbg.session.model.errors import (
    AdapterFailed,
    DebuggerError,
    InvalidSessionState,
    InvalidSetting,
    UnsupportedByAdapter,
)
from tuidbg.session.model.state import StateValue, Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


T = TypeVar("T")

_LOOKS = (ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Load)
_LOOKS_AT_ITEMS = (*_LOOKS, ast.UnaryOp, ast.USub)


class ChangeWatch(StateValue, frozen=True):
    """A value whose change stops the program; ``function`` is where it was requested.

    Changes are ``seen`` ``everywhere``, at ``all`` lines that can make one, which are those of the
    function, or at these alone (empty).
    """

    number: int
    expression: str
    function: str
    seen: str = ""
    until: bool = False
    """It stops when the expression becomes true, at the lines of the function."""

    @property
    def limits(self) -> str:
        """Describe which changes are detected and which are not."""
        begin = f"stops when {self.expression} changes, as seen at"
        if self.seen == "everywhere":
            return f"{begin} the lines of all your code, which runs slowly meanwhile"
        where = "the module's top level" if self.function == "<module>" else f"{self.function}()"
        begin = f"{begin} the lines of {where}"
        if self.seen == "all":
            return begin
        return f"{begin}; changes made elsewhere are not seen until it goes on there"


class _Laid(dap.DapBody, frozen=True):
    mark: int
    function: str
    seen: str = ""


class ValueBreakpoints:
    """The values whose changes stop one session's program, while it lives."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._watched: dict[tuple[str, bool], ChangeWatch] = {}
        self._pid: int | None = None
        self._marks: set[int] = set()
        self._next = 1

    def find(self, expression: str) -> ChangeWatch | None:
        """Return the watch for changes of that expression, if any."""
        return self._watched.get((expression, False)) if self._is_same else None

    @property
    def _is_same(self) -> bool:
        """True while the process is the one they were set in."""
        return self._session.pid == self._pid

    def check(self, expression: str) -> None:
        """Check that an expression can be watched. Raises InvalidSetting, UnsupportedByAdapter."""
        if self._session.adapter.capabilities.supports_data_breakpoints:
            if not expression.strip():
                raise InvalidSetting("data", "name the variable to watch")
            return
        if not self._session.inside.is_possible:
            raise UnsupportedByAdapter("this debug adapter can't watch values for changes")
        _check(expression.strip())

    async def wait_for(self, expression: str, frame_id: int) -> ChangeWatch:
        """Stop when that becomes true, at lines of a frame's function. Raises as ``watch``.

        It may be any expression: it runs in the program at each of them, until the next stop.
        """
        session = self._session
        if session.status is not Status.PAUSED:
            raise InvalidSessionState("wait for an expression", session.status)
        if not session.inside.is_possible:
            raise UnsupportedByAdapter("this debug adapter can't wait for an expression")
        _parse(expression.strip())
        return await self._lay(expression.strip(), frame_id, until=True)

    async def watch(self, expression: str, frame_id: int, *, origin: str) -> ChangeWatch | None:
        """Stop when the value of that expression changes, starting from a frame.

        None if the adapter has data breakpoints: then it is one of ``session.breakpoints``. Raises
        InvalidSetting, UnsupportedByAdapter, AdapterFailed, EvaluationFailed, StaleReply,
        InvalidSessionState.
        """
        session = self._session
        expression = expression.strip()
        if session.status is not Status.PAUSED:
            raise InvalidSessionState("watch for changes", session.status)
        if session.adapter.capabilities.supports_data_breakpoints:
            await session.breakpoints.set_data(expression, origin=origin)
            return None
        self.check(expression)
        return await self._lay(expression, frame_id)

    async def _lay(self, expression: str, frame_id: int, *, until: bool = False) -> ChangeWatch:
        session = self._session
        if session.pid != self._pid:
            self._watched.clear()
            self._pid = session.pid
        await session.inside.load(*MODULES)
        number, self._next = self._next, self._next + 1
        asked = {"number": number, "expression": expression, "until": until}
        laid = await session.inside.ask("changes", "watch", _Laid, frame_id=frame_id, **asked)
        if not laid.mark:
            raise AdapterFailed(f"{laid.function} has too many lines to look at each of them")
        if (old := self._watched.get((expression, until))) is not None:
            await self._forget(old)
        self._marks.add(laid.mark)
        watch = ChangeWatch(
            number=number,
            expression=expression,
            function=laid.function,
            seen=laid.seen,
            until=until,
        )
        self._watched[expression, until] = watch
        return watch

    async def ignore(self, expression: str) -> None:
        """Stop watching for changes of that expression. Raises as ``watch``."""
        if (watch := self.find(expression)) is not None:
            await self._forget(watch)
            del self._watched[expression, False]

    def end_awaited(self) -> None:
        """End the awaited conditions, as the program is stopped for some reason."""
        if self._is_same and any(watch.until for watch in self._watched.values()):
            self._session.spawn(self._forget_awaited())

    async def _forget_awaited(self) -> None:
        for watch in [watch for watch in self._watched.values() if watch.until]:
            try:
                await self._forget(watch)
            except DebuggerError:
                return  # it was resumed or has ended: the next stop is in time for it
            self._watched.pop((watch.expression, True), None)

    async def _forget(self, watch: ChangeWatch) -> None:
        ask = self._session.inside.ask
        await ask("changes", "forget", None, frame_id=None, number=watch.number)  # type: ignore[arg-type]

    def take_mark(self, adapter_ids: Iterable[int]) -> bool:
        """True if the program stopped only for a change; the details follow soon."""
        if self._watched and self._is_same:
            self._session.spawn(self._tell())
        return not self._marks.isdisjoint(adapter_ids)

    async def _tell(self) -> None:
        try:
            found = await self._session.inside.ask(
                "changes", "take", list[tuple[int, str, str]], frame_id=None
            )
        except DebuggerError:
            return  # the program was resumed
        by_number = {watch.number: watch for watch in self._watched.values()}
        for number, before, after in found:
            if (watch := by_number.get(number)) is not None:
                told = f"{watch.expression} changed: {before} → {after}"
                told = f"{watch.expression} is true" if watch.until else told
                self._session.notify(told, quotes=True)


def _parse(expression: str) -> ast.Expression:
    """Raise InvalidSetting for text that is no expression."""
    try:
        return ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InvalidSetting("data", f"this is no expression: {error}") from None


def _check(expression: str) -> None:
    """Raise InvalidSetting for anything but a variable, attribute or item."""
    parsed = _parse(expression)
    if not all(isinstance(node, _LOOKS_AT_ITEMS) for node in ast.walk(parsed)):
        raise InvalidSetting("data", "only variables, attributes and items can be watched")
