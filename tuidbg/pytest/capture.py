"""pytest's capture, lifted while the program stands."""

from __future__ import annotations

from typing import Any

import pytest


class Streams:
    """stdin, stdout and stderr of a run: the person's own at a stop, captured again afterwards."""

    def __init__(self, config: pytest.Config) -> None:
        self._manager: Any = config.pluginmanager.getplugin("capturemanager")
        self._before: tuple[bool, bool] | None = None

    def release(self) -> None:
        """Suspend what captures them now; several times is as once."""
        if self._manager is None:
            return
        if self._before is None:
            every, fixture = self._manager._global_capturing, self._manager._capture_fixture
            self._before = (
                every is not None and every.is_started(),
                fixture is not None and fixture._is_started(),
            )
        self._manager.suspend(in_=True)

    def restore(self) -> None:
        """Capture again what was captured before."""
        before, self._before = self._before or (False, False), None
        if before[0]:
            self._manager.resume_global_capture()
        if before[1]:
            self._manager.resume_fixture()

    def forget(self) -> None:
        """pytest itself goes on from here, with the next part of a test."""
        self._before = None

    @property
    def copies(self) -> set[int]:
        """The descriptors of the person's own stdout and stderr that capture keeps aside."""
        every = getattr(self._manager, "_global_capturing", None)
        kept = (getattr(stream, "targetfd_save", None) for stream in _outputs(every))
        return {number for number in kept if isinstance(number, int)}


def _outputs(capturing: Any) -> tuple[Any, ...]:
    return () if capturing is None else (capturing.out, capturing.err)
