"""The session members that breakpoints use, beside those open to every part."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass
