"""Breakpoint anchors: breakpoints follow their statements while the source is edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tuidbg.session.core.breakpoints.line_anchors import LineAnchors, ReadText
    from tuidbg.session.core.feature import Hooks


def register(hooks: Hooks) -> None:
    hooks.line_anchors = make_anchors


def make_anchors(read: ReadText) -> LineAnchors:
    from tuidbg.session.features.anchors.anchor_store import Anchors

    return Anchors(read)
