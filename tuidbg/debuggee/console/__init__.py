"""The prompt inside the program."""

from __future__ import annotations
