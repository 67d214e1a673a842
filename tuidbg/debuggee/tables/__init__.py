"""Tables: their kinds, columns and records, filters and orders."""

from __future__ import annotations
