"""The commands about the processes of a program as one job."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tuidbg.tui.context import Context
from tuidbg.tui.sessions.process_commands import ALONE, show_process

if TYPE_CHECKING:
    from tuidbg.session.execution import Resume
    from tuidbg.session.job.commanding import Obeyed


def why_no_job(ui: Context) -> str:
    """Returns why there is no job to look at; empty where there is one."""
    return "" if ui.session.family is not None else ALONE


def show_job(ui: Context) -> None:
    from tuidbg.session.job.commanding import command_all
    from tuidbg.session.job.job import look_at_job
    from tuidbg.tui.job.dialog import JobDialog

    family = ui.session.family
    if family is None:
        ui.status.show_hint(ALONE, "warning")
        return
    shown = family.find(ui.session)

    def obey(number: int | None) -> None:
        relative = family.get(number) if number is not None else None
        if relative is not None and relative.session is not ui.session:
            show_process(ui, relative)

    async def give(numbers: tuple[int, ...], how: Resume | None) -> Obeyed:
        relatives = [each for number in numbers if (each := family.get(number)) is not None]
        return await command_all(relatives, how, origin="tui")

    look = partial(look_at_job, ui.session)
    ui.app.push_screen(JobDialog(look, give, shown.number if shown is not None else -1), obey)
