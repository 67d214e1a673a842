"""Commands for the processes of a program as one job."""

from __future__ import annotations

from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.processes import ALONE, show_process


def why_no_job(ui: Context) -> str:
    """Return why there is no job to show; empty if there is one."""
    return "" if ui.session.family is not None else ALONE


def show_job(ui: Context) -> None:
    from tuidbg.session.features.job.members import Crew
    from tuidbg.tui.features.job.dialog import JobDialog

    family = ui.session.family
    if family is None:
        ui.status.show_hint(ALONE, "warning")
        return
    shown = family.find(ui.session)

    def obey(number: int | None) -> None:
        relative = family.get(number) if number is not None else None
        if relative is not None and relative.session is not ui.session:
            show_process(ui, relative)

    number = shown.number if shown is not None else -1
    ui.app.push_screen(JobDialog(Crew(ui.session, origin="tui"), number), obey)
