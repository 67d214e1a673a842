"""Tells which theme an app has: the one to start with, the next one, one from a list."""

from __future__ import annotations

from typing import Any

from textual.app import App

from tuidbg.tui.frame.theme import (
    DEFAULT_THEME,
    PREFIX,
    register_themes,
    theme_names,
    theme_round,
)
from tuidbg.tui.frame.theme_css import NO_COLOR_CSS, THEME_CSS


def start_with_theme(app: App[Any], name: str) -> None:
    """Give an app its first theme; the others are only known from a choice on."""
    name = name or DEFAULT_THEME
    register_themes(app, {name}.intersection(theme_names()))
    app.theme = name
    add_styles(app)


def add_styles(app: App[Any]) -> None:
    """Styles that only some themes need cost the start of the others nothing."""
    theme = app.current_theme
    for name, css, is_needed in (
        ("THEME_CSS", THEME_CSS, theme.ansi or theme.name == f"{PREFIX}high-contrast"),
        ("NO_COLOR_CSS", NO_COLOR_CSS, app.no_color),
    ):
        if is_needed and not app.stylesheet.has_source("theme_css.py", name):
            app.stylesheet.add_source(css, ("theme_css.py", name))


def take_next_theme(app: App[Any]) -> None:
    """Turn to the next of tuidbg's own themes and the person's."""
    register_themes(app)
    names = theme_round()
    here = names.index(app.theme) if app.theme in names else -1
    app.theme = names[(here + 1) % len(names)]
