"""Lets people join the sessions that this process serves: their socket, and the app they get.

The socket lies beside the file that says where the server is (``api/server_file.py``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.api.server_file import runtime_folder
from tuidbg.sharing.host import Joining

if TYPE_CHECKING:
    from tuidbg.session.hub import Hub
    from tuidbg.session.serving.members import Member
    from tuidbg.session.serving.switch import Serving
    from tuidbg.session.session import Session
    from tuidbg.tui.app import TuidbgApp


async def listen_for_clients(hub: Hub, serving: Serving | None = None) -> Joining:
    """Listen for people who join. Raises OSError."""
    joining = Joining(hub, lambda member: make_app(member, hub, serving), socket_of(os.getpid()))
    joining.path.unlink(missing_ok=True)  # of a process that had our number before
    _sweep(joining.path.parent)
    await joining.start()
    return joining


def _sweep(folder: Path) -> list[Path]:
    """The sockets of those that are there; those of who was killed are removed."""
    found = []
    for path in folder.glob("join-*.sock"):
        try:
            os.kill(_holder(path), 0)
        except (ProcessLookupError, OverflowError):
            path.unlink(missing_ok=True)
            continue
        except ValueError:
            continue  # it is none of ours
        except PermissionError:
            pass  # somebody is there
        found.append(path)
    return found


def _holder(path: Path) -> int:
    return int(path.stem.removeprefix("join-"))


def socket_of(pid: int) -> Path:
    """Returns where a process listens for people who join. Raises OSError."""
    return runtime_folder() / f"join-{pid}.sock"


def find_hosts() -> Iterator[tuple[int, Path]]:
    """The processes that can be joined, with their sockets, the newest first.

    Those that serve, and those that keep a parked session without a server.
    """
    try:
        sockets = [(path.lstat().st_mtime, path) for path in _sweep(runtime_folder())]
    except OSError:  # nobody can be joined, or somebody has left this very moment
        sockets = []
    for _, path in sorted(sockets, reverse=True):
        yield _holder(path), path


def make_app(
    member: Member,
    hub: Hub,
    serving: Serving | None = None,
    *,
    theme: str = "",
    key_map: str = "",
) -> TuidbgApp:
    """An app on a session, with the person's own theme, keys and history as they are now.

    ``theme`` and ``key_map`` are those that were asked for, if any. Raises ThemeError, ValueError.
    """
    from tuidbg.config.stores.console_history import ConsoleHistory, history_file
    from tuidbg.config.stores.remembered import load_remembered
    from tuidbg.config.user_config import config_folder, load_user_config
    from tuidbg.tui.app import TuidbgApp
    from tuidbg.tui.frame.theme import add_user_themes, choose_theme
    from tuidbg.tui.keys.keymaps import choose_key_map

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
