"""Holds what all pictures of the app have in common."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.widgets import Input, TextArea


@pytest.fixture
def snap_compare(
    snap_compare: Callable[..., bool], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., bool]:
    """Compares pictures in which no cursor blinks: its moment would depend on the machine."""
    for widget in (Input, TextArea):
        monkeypatch.setattr(vars(widget)["cursor_blink"], "_default", False)
    return snap_compare
