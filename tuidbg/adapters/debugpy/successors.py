"""Puts what a debugged process has become by ``exec`` in the place of what it was.

Imported by ``start_adapter.py``, which is a script: by its plain name.
"""

import os
import pathlib
import time
from typing import Any

SUCCESSION = 60.0
"""Seconds that a process which has replaced itself by ``exec`` may take to come back, at most."""


def make_room() -> None:
    """Let what a process has become by ``exec`` take the place of what it was.

    debugpy finds a process by its number alone: where a child that is debugged replaces itself, the
    newcomer was taken for the old one, refused, and stood still for ever, and its parent with it.
    And it waited a minute for the return of what had become no Python at all, or had ended.
    """
    from debugpy.adapter import clients, components, servers

    module: Any = servers
    component: Any = components.Component
    client: Any = clients.Client
    notify = client.notify_of_subprocess

    def successors(old: Any) -> list[Any]:
        return [each for each in module.connections() if each.pid == old.pid and each is not old]

    def retire(old: Any) -> None:
        with module._lock:
            if old in module._connections:
                module._connections.remove(old)
            module._connections_changed.set()

    def notify_of_newcomer(self: Any, connection: Any) -> Any:
        for old in successors(connection):
            if old.process_replaced:
                retire(old)
        return notify(self, connection)

    def disconnect(self: Any) -> None:
        old = self.connection
        if old.process_replaced:
            until = time.monotonic() + SUCCESSION
            while not successors(old) and comes_back(old.pid) and time.monotonic() < until:
                self.wait_for(lambda: bool(successors(old)), timeout=0.05)
        retire(old)
        component.disconnect(self)

    client.notify_of_subprocess = notify_of_newcomer
    module.Server.disconnect = disconnect


def comes_back(pid: int) -> bool:
    """Returns whether a process that has replaced itself may yet connect: it lives, with pydevd."""
    if not pathlib.Path("/proc/self/cmdline").exists():
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except OSError:
            pass
        return True
    try:
        return b"pydevd" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
