"""The probe: decides at breakpoints inside the debugged program (``probe.py``)."""

from __future__ import annotations
