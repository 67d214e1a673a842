"""Steps into and over awaits, tasks and calls, and threads that wait."""

from __future__ import annotations
