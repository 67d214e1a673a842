"""Repaints at most so often: what changes a thousand times a second is painted a few times."""

from __future__ import annotations

from collections.abc import Callable

from textual.timer import Timer


class Pacing:
    """Has work done at once, and then not again before some time has passed."""

    def __init__(
        self,
        set_timer: Callable[[float, Callable[[], None]], Timer],
        interval: float,
        work: Callable[[], bool],
    ) -> None:
        """``work`` returns False where there was none to be done: it may be asked for at once."""
        self._set_timer = set_timer
        self._interval = interval
        self._work = work
        self._timer: Timer | None = None
        self._is_asked = False

    @property
    def is_resting(self) -> bool:
        """Tells whether what is asked for now has to wait."""
        return self._timer is not None

    @property
    def is_due(self) -> bool:
        """Whether work is to be done when the time has passed."""
        return self._is_asked

    def ask(self) -> None:
        """Have the work done, now or once the time has passed. Cheap to call."""
        if self.is_resting:
            self._is_asked = True
        elif self._work():
            self._timer = self._set_timer(self._interval, self._go_on)

    def ask_again(self) -> None:
        """Called by the work itself: have it done once more, when the time has passed."""
        self._is_asked = True

    def _go_on(self) -> None:
        self._timer = None
        if self._is_asked:
            self._is_asked = False
            self.ask()
