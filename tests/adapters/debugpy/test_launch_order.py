"""The messages of a launcher while its program connects, in any order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from debugpy.adapter import launchers, servers

from tuidbg.adapters.debugpy.patches import in_adapter


@pytest.mark.parametrize("is_slow", [False, True])
def test_no_output_is_kept_for_good(is_slow: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a slow launcher reports the process after that has connected."""
    emitted: list[str] = []
    patched = launchers.Launcher
    monkeypatch.setattr(patched, "process_event", lambda _launcher, _event: None)
    monkeypatch.setattr(patched, "output_event", lambda _launcher, event: emitted.append(event))
    monkeypatch.setattr(patched, "exited_event", None)
    monkeypatch.setattr(launchers, "spawn_debuggee", None)
    monkeypatch.setattr(servers, "wait_for_connection", lambda *_: "connection")
    in_adapter.give_up_with_program()

    class Launcher:
        session: Any = SimpleNamespace(
            no_debug=False, client=SimpleNamespace(propagate_after_start=emitted.append)
        )

    launcher: Any = Launcher()
    launcher.session.launcher = launcher
    tell: Any = patched
    steps = [
        lambda: tell.process_event(launcher, "process"),
        lambda: tell.output_event(launcher, "before"),
        lambda: servers.wait_for_connection(launcher.session, None),
        lambda: tell.output_event(launcher, "behind"),
    ]
    for index in [2, 0, 1, 3] if is_slow else [0, 1, 2, 3]:
        steps[index]()
    assert emitted == ["before", "behind"]
