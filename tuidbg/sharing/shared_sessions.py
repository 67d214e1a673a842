"""Shared access to the sessions of this process: the socket, and the apps of joined users.

The socket is beside the server file (``api/server_file.py``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.api.server_file import runtime_folder
from tuidbg.sharing.host import Joining

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session
    from tuidbg.session.hub.hub import Hub
    from tuidbg.session.hub.members import HubSession
    from tuidbg.session.hub.switch import Serving
    from tuidbg.tui.app.app import TuidbgApp


async def listen_for_clients(hub: Hub, serving: Serving | None = None) -> Joining:
    """Listen for users who join. Raises OSError."""
    joining = Joining(hub, lambda member: make_app(member, hub, serving), socket_of(os.getpid()))
    joining.path.unlink(missing_ok=True)  # of an earlier process with the same id
    _sweep(joining.path.parent)
    await joining.start()
    return joining


def _sweep(folder: Path) -> list[Path]:
    """Return the sockets of running processes; stale ones are removed."""
    found = []
    for path in folder.glob("join-*.sock"):
        try:
            os.kill(_holder(path), 0)
        except (ProcessLookupError, OverflowError):
            path.unlink(missing_ok=True)
            continue
        except ValueError:
            continue  # not one of ours
        except PermissionError:
            pass  # another user's process, which is running
        found.append(path)
    return found


def _holder(path: Path) -> int:
    return int(path.stem.removeprefix("join-"))


def socket_of(pid: int) -> Path:
    """Return the path of a process's socket. Raises OSError."""
    return runtime_folder() / f"join-{pid}.sock"


def find_hosts() -> Iterator[tuple[int, Path]]:
    """Yield processes that can be joined, with their sockets, newest first.

    These are the ones that serve, and those with a parked session but no server.
    """
    try:
        sockets = [(path.lstat().st_mtime, path) for path in _sweep(runtime_folder())]
    except OSError:  # no runtime folder, or a socket was removed this very moment
        sockets = []
    for _, path in sorted(sockets, reverse=True):
        yield _holder(path), path


def make_app(
    member: HubSession,
    hub: Hub,
    serving: Serving | None = None,
    *,
    theme: str = "",
    key_map: str = "",
) -> TuidbgApp:
    """Make an app for a session, with the user's present theme, keys and history.

    ``theme`` and ``key_map`` are the requested ones, if any. Raises ThemeError, ValueError.
    """
    from tuidbg.config.stores.console_history import ConsoleHistory, history_file
    from tuidbg.config.stores.remembered import load_remembered
    from tuidbg.config.user_config import config_folder, load_user_config
    from tuidbg.tui.app.app import TuidbgApp
    from tuidbg.tui.app.keys.keymaps import choose_key_map
    from tuidbg.tui.toolkit.theme.theme import add_user_themes, choose_theme

    remembered, folder = load_remembered(), config_folder()
    config = load_user_config(folder)
    problems = [*config.problems, *add_user_themes(folder)]
    keys, found = choose_key_map(key_map, config.key_map, remembered.key_map, config.keys)
    try:
        history = ConsoleHistory(history_file())
    except (OSError, RuntimeError):
        history = ConsoleHistory()
    return TuidbgApp(
        open_session=_refuse,
        session=member.session,
        remembered=remembered,
        theme=choose_theme(theme, remembered.theme),
        cwd=member.config.project_root,
        key_map=keys,
        own_keys=config.keys,
        problems=[*problems, *found],
        history=history,
        hub=hub,
        serving=serving,
        is_joined=True,
    )


def _refuse(words: list[str], cwd: str) -> Session:
    raise ValueError("a program is started where tuidbg runs, or by a program")
