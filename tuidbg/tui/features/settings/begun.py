"""The settings tuidbg was started with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tuidbg.session.core.session import Session


class Begun(NamedTuple):
    """The theme, the key map and the first session of this run.

    ``given`` has the command-line options, by the names of their settings.
    """

    theme: str
    key_map: str
    session: Session | None
    given: Mapping[str, str]
