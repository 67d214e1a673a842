"""The description of an operation, independent of its names in the front ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, ParamSpec, TypeVar

from tuidbg.api.auth.callers import TokenScope
from tuidbg.session.model.errors import DebuggerError

P = ParamSpec("P")
R = TypeVar("R")
W = TypeVar("W")


def words_for(error: DebuggerError, column: Mapping[type, W], otherwise: W) -> W:
    """Return the entry of an error's nearest class in a front end's column."""
    return next((column[kind] for kind in type(error).__mro__ if kind in column), otherwise)


class Operation(Generic[P, R]):
    """A row of the operations table: the required scope, the function, its errors.

    Its arguments are the function's; each front end gives them its own names. ``errors`` are
    specific to it; a missing session or a failing adapter can occur in any operation.
    """

    def __init__(
        self, name: str, scope: TokenScope, run: Callable[P, R], *errors: type[DebuggerError]
    ) -> None:
        self.name, self.scope, self.run, self.errors = name, scope, run, errors

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run it, for a caller that the gate has admitted."""
        return self.run(*args, **kwargs)
