"""What all tests of the screen may ask for."""

from __future__ import annotations

from tests.support.pictures import pictures

__all__ = ["pictures"]
