"""What the tests of the bar share."""

from __future__ import annotations

import pytest

from tests.tui.keys.commands_given import ENDS_THE_TEST, Given
from tuidbg.tui.app.debug_screen import DebugScreen


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Given:
    """The commands that were given by their keys."""
    names = Given()
    give = DebugScreen.action_command

    def note(screen: DebugScreen, name: str) -> None:
        names.append(name)
        if names.run and name not in ENDS_THE_TEST:
            give(screen, name)

    monkeypatch.setattr(DebugScreen, "action_command", note)
    return names
