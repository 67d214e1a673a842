"""Breakpoints in Django and Jinja templates, whatever the launch said of them.

debugpy takes every file that is not ``*.py`` for a template once it was told that there are some,
and of one kind only. So it is told again with each list of breakpoints, file by file. And it would
move a breakpoint to the line before, where the template has nothing to work out at its own.
"""

from __future__ import annotations

import os
import sys

import pydevd
from pydevd_plugins import pydevd_line_validation as validation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


DB = pydevd.get_global_debugger()
JINJA = (".j2", ".jinja", ".jinja2")
SUFFIXES: set[Any] = set()
TOLD: dict[str, Any] = {"likely": "jinja"}


def prepare(suffixes: Iterable[str], likely: str, is_certain: bool) -> None:
    """From now on files with these suffixes are templates, most likely of that kind."""
    SUFFIXES.update(suffixes)
    TOLD.update(likely=likely, is_certain=is_certain)
    processor = DB.reader.process_net_command_json.__self__
    if "on_setbreakpoints_request" not in vars(processor):
        validation.ValidationInfo._verify_breakpoints_with_lines_collected = verify
        processor.on_setbreakpoints_request = tell_kind(processor)


def tell_kind(processor: Any) -> Any:
    set_breakpoints, options = processor.on_setbreakpoints_request, processor._options

    def on_setbreakpoints_request(py_db: Any, request: Any) -> Any:
        before = options.django_debug, options.flask_debug
        kind = kind_of(str(request.arguments.source.path or ""))
        if kind:
            options.django_debug, options.flask_debug = kind == "django", kind == "jinja"
        try:
            return set_breakpoints(py_db, request)
        finally:
            options.django_debug, options.flask_debug = before

    return on_setbreakpoints_request


def kind_of(path: str) -> Any:
    """``django`` or ``jinja``; nothing for a file that is no template."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in SUFFIXES:
        return ""
    if suffix in JINJA:
        return "jinja"
    has_django, has_jinja = "django.template" in sys.modules, "jinja2" in sys.modules
    if TOLD["is_certain"] or has_django == has_jinja:
        is_django = os.environ.get("DJANGO_SETTINGS_MODULE") and not TOLD["is_certain"]
        return "django" if is_django else TOLD["likely"]
    return "django" if has_django else "jinja"


def verify(
    info: Any, py_db: Any, path: str, breakpoints: Any, lines: Any, ordered: list[int]
) -> None:
    """Tell of each breakpoint of a rendered template whether it can stop, or else where it could.

    In place of the method of pydevd's ``ValidationInfo`` that moves them.
    """
    api = validation.PyDevdAPI
    for line, found in list(breakpoints.items()):
        if found.verified_cache_key == lines:
            continue
        found.verified_cache_key = lines
        result, is_valid = found.add_breakpoint_result, line in lines
        before = result.error_code, result.translated_line
        result.error_code = (
            api.ADD_BREAKPOINT_NO_ERROR if is_valid else api.ADD_BREAKPOINT_INVALID_LINE
        )
        result.translated_line = line
        if not is_valid and ordered:
            result.translated_line = min(ordered, key=lambda other: abs(other - line))
        if before != (result.error_code, result.translated_line):
            found.on_changed_breakpoint_state(found.breakpoint_id, result)
