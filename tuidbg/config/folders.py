"""The user's own folders for tuidbg, where there is a home to have them in."""

from __future__ import annotations

from pathlib import Path
from typing import Literal


class NoHome(OSError):
    """There is no folder of the user's; ``str()`` is a sentence."""

    def __init__(self) -> None:
        super().__init__("there is no home folder; set HOME")


def user_folder(kind: Literal["state", "data", "cache", "config"]) -> Path:
    """The folder of that kind, which may not be there yet. Raises NoHome.

    Without a home the parts of its path would be made in the current folder.
    """
    import platformdirs

    find = {
        "state": platformdirs.user_state_dir,
        "data": platformdirs.user_data_dir,
        "cache": platformdirs.user_cache_dir,
        "config": platformdirs.user_config_dir,
    }[kind]
    try:
        folder = Path(find("tuidbg"))
    except (OSError, RuntimeError):
        raise NoHome from None
    if not folder.is_absolute():
        raise NoHome
    return folder
