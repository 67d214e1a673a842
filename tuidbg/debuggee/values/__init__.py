"""Variables, what is in them and how they are written, watches and changes."""

from __future__ import annotations
