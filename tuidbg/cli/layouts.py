"""Tells where the screens of the projects are remembered that this run shows."""

from __future__ import annotations

from pathlib import Path

from tuidbg.config.launch import DEMO
from tuidbg.config.project import layout_file, project_of
from tuidbg.config.stores.layout_store import SavedLayout, load_layout, save_layout
from tuidbg.session.session import Session


class Layouts:
    """``LayoutMemory`` in the user's state folder; the demo's screen is always the same."""

    def load(self, session: Session) -> SavedLayout | None:
        file = _file_of(session)
        if file is None:
            return None
        layout, problem = load_layout(file)
        if problem:
            session.notify(problem, "warning")
        return layout

    def save(self, session: Session, layout: SavedLayout) -> None:
        if (file := _file_of(session)) is not None:
            save_layout(file, layout)


def _file_of(session: Session) -> Path | None:
    if session.plan.target == str(DEMO):
        return None
    try:
        return layout_file(project_of(session.plan))
    except (OSError, RuntimeError):  # no home
        return None
