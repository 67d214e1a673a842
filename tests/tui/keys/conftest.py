"""What the tests of the bar share."""

from __future__ import annotations

import pytest

from tests.tui.keys.commands_given import ENDS_THE_TEST
from tuidbg.tui.screen import DebugScreen


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that were given by their keys."""
    names: list[str] = []
    give = DebugScreen.action_command

    def note(screen: DebugScreen, name: str) -> None:
        names.append(name)
        if name not in ENDS_THE_TEST:
            give(screen, name)

    monkeypatch.setattr(DebugScreen, "action_command", note)
    return names
