"""The exception at which a program stands, told whole."""

from __future__ import annotations
