"""The settings with which tuidbg has started."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tuidbg.session.session import Session


class Begun(NamedTuple):
    """The theme, the key map and the first session of this run.

    ``given`` has the options of the command line, by the names of their settings.
    """

    theme: str
    key_map: str
    session: Session | None
    given: Mapping[str, str]
