"""Breakpoints in templates of web pages, for which the program's side must be prepared."""

from __future__ import annotations

from typing import Protocol

from tuidbg.adapters.profile import AdapterProfile
from tuidbg.session.core import HasAdapter, Program
from tuidbg.session.evaluation.own_questions import own_question


class _Session(HasAdapter, Program, Protocol):
    """The adapter, and the plan of its program."""


async def prepare_template(session: _Session, path: str) -> None:
    """Tell the program's side that this file is a template, if it is. Raises AdapterError."""
    profile = session.profile
    templates, inside = profile.breakpoints.page_templates, profile.inside
    if templates is None or inside is None or not templates.includes(path):
        return
    prepare = inside.expression(templates.module, "prepare", templates.arguments(session.plan))
    for expression in (inside.install(templates.module), prepare):
        await session.adapter.request("evaluate", own_question(expression))


def is_template(profile: AdapterProfile, path: str) -> bool:
    """True for a template, by its name."""
    return (
        profile.breakpoints.page_templates is not None
        and profile.breakpoints.page_templates.includes(path)
    )


def waits_for_rendering(profile: AdapterProfile, message: str | None) -> bool:
    """True if the adapter's words say that the template was not rendered yet."""
    templates = profile.breakpoints.page_templates
    return templates is not None and (message or "").startswith(templates.waiting)
