"""The patches of debugpy and pydevd: their registry, and the modules that apply them."""

from __future__ import annotations
