"""Rate-limited repaints: a thousand changes a second are painted a few times."""

from __future__ import annotations

from collections.abc import Callable

from textual.timer import Timer


class RateLimit:
    """Rate limit for work: immediate, then not again before an interval has passed."""

    def __init__(
        self,
        set_timer: Callable[[float, Callable[[], None]], Timer],
        interval: float,
        work: Callable[[], bool],
    ) -> None:
        """``work`` returns False if there was nothing to do: the next request is then immediate."""
        self._set_timer = set_timer
        self._interval = interval
        self._work = work
        self._timer: Timer | None = None
        self._is_asked = False

    @property
    def is_resting(self) -> bool:
        """Whether a request made now has to wait."""
        return self._timer is not None

    @property
    def is_due(self) -> bool:
        """Whether work is pending for the end of the interval."""
        return self._is_asked

    def ask(self) -> None:
        """Request the work, now or at the end of the interval. Cheap to call."""
        if self.is_resting:
            self._is_asked = True
        elif self._work():
            self._timer = self._set_timer(self._interval, self._go_on)

    def ask_again(self) -> None:
        """Request the work again after the interval; called by the work itself."""
        self._is_asked = True

    def _go_on(self) -> None:
        self._timer = None
        if self._is_asked:
            self._is_asked = False
            self.ask()
