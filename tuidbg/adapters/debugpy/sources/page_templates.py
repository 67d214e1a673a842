"""tuidbg's side of breakpoints in templates: which files are some, of which kind most likely."""

from __future__ import annotations

from pathlib import Path, PurePath

from tuidbg.config.files import read_head
from tuidbg.config.launch import AttachPlan, Plan

SUFFIXES = frozenset(
    (
        *(".conf", ".css", ".djhtml", ".htm", ".html", ".j2", ".jinja", ".jinja2", ".js", ".md"),
        *(".mjml", ".sql", ".svg", ".tex", ".tmpl", ".tpl", ".txt", ".xhtml", ".xml", ".yml"),
    )
)
"""Files that are rendered, not run. What is in none of them stays Python to debugpy."""

_DJANGO = ("manage.py", "django-admin", "django")
_READ = 65536


class DebugpyTemplates:
    """``PageTemplates`` for debugpy."""

    module = "page_templates"
    waiting = "Waiting for code to be loaded"

    def includes(self, path: str) -> bool:
        return PurePath(path).suffix.lower() in SUFFIXES

    def arguments(self, plan: Plan) -> tuple[object, ...]:
        is_certain = plan.django != plan.jinja
        is_django = plan.django if is_certain else _is_django(plan)
        return sorted(SUFFIXES), "django" if is_django else "jinja", is_certain


def _is_django(plan: Plan) -> bool:
    """Returns whether a program that has imported nothing yet looks like Django's."""
    if PurePath(plan.target).name in _DJANGO or "DJANGO_SETTINGS_MODULE" in plan.env:
        return True
    if isinstance(plan, AttachPlan):
        return False
    head = read_head(plan.first_source or Path(plan.cwd, "manage.py"), _READ)
    return b"django" in head.lower()
