"""Describes an operation: one thing that programs can ask for, whatever a front end calls it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, ParamSpec, TypeVar

from tuidbg.api.auth.callers import Scope
from tuidbg.session.errors import DebuggerError

P = ParamSpec("P")
R = TypeVar("R")
W = TypeVar("W")


def words_for(error: DebuggerError, column: Mapping[type, W], otherwise: W) -> W:
    """Find what a front end says of an error: what its column has for the nearest kind."""
    return next((column[kind] for kind in type(error).__mro__ if kind in column), otherwise)


class Operation(Generic[P, R]):
    """A row of the table: what a caller must be allowed to, what is done, how that can fail.

    Its arguments are those of the function, to which a front end gives its own names. ``errors``
    are what is its own; sessions that are not there and adapters that fail can meet any of them.
    """

    def __init__(
        self, name: str, scope: Scope, run: Callable[P, R], *errors: type[DebuggerError]
    ) -> None:
        self.name, self.scope, self.run, self.errors = name, scope, run, errors

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Do it, for a caller that the gate has let in."""
        return self.run(*args, **kwargs)
