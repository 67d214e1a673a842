"""Colours: tuidbg's own themes, read from files, and syntax colours for every theme.

A theme file is TOML: ``name``, ``dark``, ``[colors]`` and ``[variables]`` (Textual's theme colours
and CSS variables), ``[syntax]``, ``[marks]`` and ``[lines]`` (styles such as ``"bold #ff0000 on
#000000"``).

With ``ansi = true`` its colours are the terminal's own sixteen (``ansi_red``; ``red`` in a style).
Textual's own themes have no syntax colours: they use those of the dark, the light or the ansi file.
User themes are in ``themes`` in the user's config folder.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from rich.color import Color as RichColor
from rich.color import ColorType
from rich.errors import StyleSyntaxError
from rich.style import Style
from textual.app import App
from textual.color import Color, ColorParseError
from textual.theme import BUILTIN_THEMES, Theme

import tuidbg
from tuidbg.config.files import LARGEST, read_text
from tuidbg.tui.toolkit.theme.legible import contrast, make_legible

_ANSI_LINES = {
    "current": "bright_white on blue",
    "selected": "bright_white on blue",
    "raised": "bright_white on red",
    "past": "bright_white on magenta",
    "cursor": "underline",
    "values": "green",
    "exception": "bright_white on red",
}
"""Terminal colours can't be mixed: a row has one colour for all of its text."""

_SHARES = {"current": (0.14, 0.28), "selected": (0.13, 0.3), "past": (0.22, 0.3)}
"""Share of the mark's colour mixed into a row, of a dark theme and of a light one."""

_CURSOR_SHARES = 0.06, 0.04
"""Share of the text's colour mixed into the cursor's row: less is invisible."""

_RAISED_SHARES = 0.22, 0.14
"""Share of the error's colour mixed into the row of an exception."""

_SEEN = 1.15
"""Contrast of a row with its neighbours; the mark's share grows until it is reached."""

_DARK, _LIGHT = Color(18, 18, 18), Color(224, 224, 224)
"""Textual's default backgrounds."""


def mix_lines(
    theme: Theme, syntax: Mapping[str, Style], marks: Mapping[str, Style]
) -> dict[str, Style]:
    """Return the styles of rows and backgrounds, as named in the ``LINES`` of the themes."""
    if theme.ansi:
        return {name: Style.parse(style) for name, style in _ANSI_LINES.items()}
    ground = _ground_of(theme)
    text = _color(syntax["plain"].color) or ground.inverse
    error = Color.parse(theme.error) if theme.error else text
    rows = {"cursor": ground.blend(text, _CURSOR_SHARES[not theme.dark])}
    rows["raised"] = _tint(ground, error, _RAISED_SHARES[not theme.dark])
    for name, shares in _SHARES.items():
        mark = _color(marks[name].bgcolor) or _color(marks[name].color) or text
        rows[name] = _tint(ground, mark, shares[not theme.dark])
    grounds = [ground, *rows.values()]
    values = _color(syntax["builtin"].color) or text
    return {
        **{name: Style(bgcolor=_rich(row)) for name, row in rows.items()},
        "values": Style(color=_rich(make_legible(values.blend(ground, 0.25), grounds))),
        "exception": Style(color=_rich(make_legible(error, grounds))),
    }


def borrow_palette(palette: Palette, theme: Theme) -> Palette:
    """Return another theme's palette, legible on the rows of this theme."""
    lines = mix_lines(theme, palette.syntax, palette.marks)
    rows = (_color(style.bgcolor) for style in lines.values())
    grounds = [_ground_of(theme), *(row for row in rows if row is not None)]

    def readable(style: Style) -> Style:
        color = _color(style.color)
        if color is None or style.bgcolor is not None:
            return style
        return style + Style(color=_rich(make_legible(color, grounds)))

    return replace(
        palette,
        syntax={kind: readable(style) for kind, style in palette.syntax.items()},
        marks={mark: readable(style) for mark, style in palette.marks.items()},
        lines=lines,
    )


def _tint(ground: Color, mark: Color, share: float) -> Color:
    tint = ground.blend(mark, share)
    while contrast(tint, ground) < _SEEN and share < 0.5:
        share += 0.04
        tint = ground.blend(mark, share)
    return tint


def _ground_of(theme: Theme) -> Color:
    if theme.background:
        return Color.parse(theme.background)
    return _DARK if theme.dark else _LIGHT


def _color(color: RichColor | None) -> Color | None:
    """Return a colour that can be mixed; None for a terminal colour."""
    if color is None or color.type is ColorType.DEFAULT:
        return None
    return Color(*color.get_truecolor())


def _rich(color: Color) -> RichColor:
    return RichColor.from_rgb(*color.rgb)


DEFAULT_THEME = "tuidbg-dark"

SYNTAX = (
    "plain",
    "comment",
    "docstring",
    "string",
    "escape",
    "number",
    "constant",
    "keyword",
    "builtin",
    "self",
    "function",
    "class",
    "exception",
    "decorator",
)
"""The kinds of source text. A kind missing in a theme file looks like ``plain``."""

MARKS = (
    "current",
    "selected",
    "set",
    "conditional",
    "pending",
    "pending_conditional",
    "refused",
    "disabled",
)
"""The gutter marks; a theme file must define them all."""

MORE_MARKS = {
    "log_point": "set",
    "pending_log_point": "pending",
    "tracepoint": "set",
    "pending_tracepoint": "pending",
    "past": "selected",
    "muted": "disabled",
    "muted_conditional": "disabled",
    "muted_log_point": "disabled",
    "muted_tracepoint": "disabled",
}
"""Optional marks of a theme file, with the mark each one falls back to."""

LINES = ("current", "raised", "selected", "past", "cursor", "values", "exception")
"""The styles of whole lines and of backgrounds.

The first five highlight a row: the program's line, a raised exception, the selected frame, the line
of a recorded moment, the cursor. Each is optional: the default is mixed from the file's other
colours.
"""

PREFIX = "tuidbg-"
"""Prefix of the names of tuidbg's themes in Textual; optional for users."""

_COLORS = (
    "primary",
    "secondary",
    "accent",
    "foreground",
    "background",
    "surface",
    "panel",
    "success",
    "warning",
    "error",
    "boost",
)
_REQUIRED_COLORS = ("primary", "foreground", "background")
_TEXT_STYLES = frozenset(
    ("none", "not", "bold", "b", "dim", "italic", "i", "reverse", "r", "underline", "u", "strike")
)
_VARIABLE_NAME = re.compile(r"[a-z][a-z0-9-]*")
_SHARE = re.compile(r"\s+\d+(\.\d+)?%$")
_ANSI_VARIABLES = {"ansi-background": "ansi_black", "ansi-foreground": "ansi_white"}
"""Variables that Textual's styles need in a theme of terminal colours."""

_KEYS = {"name", "dark", "ansi", "colors", "variables", "syntax", "marks", "lines"}


class ThemeError(Exception):
    """An unusable theme; the message is one sentence for the user."""


@dataclass(frozen=True)
class Palette:
    """Styles of source text, gutter marks and lines, by ``SYNTAX``, mark names, ``LINES``."""

    syntax: Mapping[str, Style]
    marks: Mapping[str, Style]
    lines: Mapping[str, Style]


@dataclass(frozen=True)
class ThemeFile:
    """A theme file: Textual's part and tuidbg's."""

    theme: Theme
    palette: Palette


def themes_folder() -> Path:
    """Return the theme folder: in the installed package, else at the top of the checkout."""
    package = Path(tuidbg.__file__).resolve().parent
    for folder in (package / "themes", package.parent / "themes"):
        if folder.is_dir():
            return folder
    raise ThemeError("tuidbg's themes folder is missing: the installation is incomplete.")


def load_themes(folder: Path | None = None) -> list[ThemeFile]:
    """Read all theme files of ``folder`` (default: tuidbg's own), sorted by name.

    Raises ``ThemeError``, naming file and key, for an invalid one.
    """
    files = sorted((folder or themes_folder()).glob("*.toml"), key=lambda file: file.stem)
    return [_ThemeReader(file).read() for file in files]


@cache
def _shipped_files() -> Mapping[str, Path]:
    """Return the files of tuidbg's own themes by Textual name (``tuidbg-dark``), unread."""
    files = sorted(themes_folder().glob("*.toml"), key=lambda file: file.stem)
    return {PREFIX + file.stem: file for file in files}


@cache
def _read_shipped(name: str) -> ThemeFile:
    return _ThemeReader(_shipped_files()[name]).read()


_users: dict[str, ThemeFile] = {}


def add_user_themes(config_folder: Path | None) -> list[str]:
    """Read the user's themes; return a sentence for each unusable one.

    They replace the user themes known before.
    """
    _users.clear()
    if config_folder is None:
        return []
    problems = []
    for path in sorted((config_folder / "themes").glob("*.toml")):
        try:
            file = _ThemeReader(path).read()
            name = file.theme.name.removeprefix(PREFIX)
            if file.theme.name in theme_names() or name in BUILTIN_THEMES:
                raise ThemeError(f"Theme file {path.name}: there is a theme {name!r} already.")
        except ThemeError as error:
            problems.append(str(error))
        else:
            _users[file.theme.name] = file
    return problems


def theme_names() -> list[str]:
    """Return the Textual names of tuidbg's and the user's themes, without reading files."""
    return [*_shipped_files(), *_users]


def find_theme(name: str) -> ThemeFile:
    """Return one of ``theme_names()``. A start reads one file: each costs a millisecond."""
    return _users[name] if name in _users else _read_shipped(name)


def choose_theme(asked: str, remembered: str) -> str:
    """Return the initial theme. Raises ThemeError for a requested one that does not exist."""
    if asked:
        return resolve_theme(asked)
    try:
        return resolve_theme(remembered) if remembered else DEFAULT_THEME
    except ThemeError:
        return DEFAULT_THEME


def theme_round() -> list[str]:
    """Return the theme names in the order of the "next theme" key: dark and light first."""
    first = [PREFIX + name for name in ("dark", "light")]
    return [*first, *(name for name in theme_names() if name not in first)]


def register_themes(app: App[Any], names: Iterable[str] | None = None) -> None:
    """Register tuidbg's and the user's themes with ``app``: the named ones, or all."""
    for name in theme_names() if names is None else names:
        app.register_theme(find_theme(name).theme)


def resolve_theme(name: str) -> str:
    """Return a theme's name in Textual: ``dark`` is ``tuidbg-dark``, ``nord`` is Textual's own.

    Raises ``ThemeError`` listing the existing names.
    """
    known = [*theme_names(), *BUILTIN_THEMES]
    for candidate in (PREFIX + name, name):
        if candidate in known:
            return candidate
    names = ", ".join(known_name.removeprefix(PREFIX) for known_name in known)
    raise ThemeError(f"There is no theme {name!r}; there are: {names}.")


def palette_for(theme: Theme) -> Palette:
    """Return the source styles for ``theme``, which may be one of Textual's own."""
    if theme.name in theme_names():
        return find_theme(theme.name).palette
    if theme.name not in _borrowed:
        palette = find_theme(PREFIX + _look_alike(theme)).palette
        _borrowed[theme.name] = palette if theme.ansi else borrow_palette(palette, theme)
    return _borrowed[theme.name]


_borrowed: dict[str, Palette] = {}


def _look_alike(theme: Theme) -> str:
    if theme.ansi:
        return "ansi"
    return "dark" if theme.dark else "light"


class _ThemeReader:
    """The reader and validator of a theme file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def read(self) -> ThemeFile:
        data = self._parse()
        for key in data:
            if key not in _KEYS:
                raise self._error(f"unknown key {key!r}")
        name = data.get("name")
        if not isinstance(name, str) or not name:
            raise self._error("'name' must be a text")
        dark = data.get("dark")
        if not isinstance(dark, bool):
            raise self._error("'dark' must be true or false")
        ansi = data.get("ansi", False)
        if not isinstance(ansi, bool):
            raise self._error("'ansi' must be true or false")
        theme = Theme(
            name=PREFIX + name,
            dark=dark,
            ansi=ansi,
            variables=self._variables(data, ansi),
            **self._colors(data),
        )
        return ThemeFile(theme, self._palette(data, theme))

    def _parse(self) -> dict[str, Any]:
        try:
            return tomllib.loads(read_text(self._file, limit=LARGEST))
        except tomllib.TOMLDecodeError as error:
            raise self._error(f"not valid TOML: {error}") from None
        except OSError as error:
            raise self._error(f"it can't be read: {error.strerror or error}") from None
        except UnicodeError as error:
            raise self._error(f"it can't be read: {error}") from None

    def _variables(self, data: dict[str, Any], ansi: bool) -> dict[str, str]:
        """Return the CSS variables; an invalid one would end tuidbg when Textual reads them."""
        texts = self._texts(data, "variables")
        for key, value in texts.items():
            if not _VARIABLE_NAME.fullmatch(key):
                raise self._error("no such name can be used", "variables", key)
            if key.endswith("style"):
                if not value.split() or not set(value.split()) <= _TEXT_STYLES:
                    raise self._error(f"{value!r} is not a text style", "variables", key)
                continue
            try:
                Color.parse(_SHARE.sub("", value.strip()))
            except ColorParseError:
                raise self._error(f"{value!r} is not a colour", "variables", key) from None
        return {**(_ANSI_VARIABLES if ansi else {}), **texts}

    def _colors(self, data: dict[str, Any]) -> dict[str, Any]:
        colors = self._texts(data, "colors")
        self._demand_names("colors", colors, known=_COLORS, required=_REQUIRED_COLORS)
        for key, value in colors.items():
            try:
                Color.parse(value)
            except ColorParseError:
                raise self._error(f"{value!r} is not a colour", "colors", key) from None
        return dict(colors)

    def _palette(self, data: dict[str, Any], theme: Theme) -> Palette:
        syntax = self._styles(data, "syntax", known=SYNTAX, required=("plain",))
        marks = self._styles(data, "marks", known=(*MARKS, *MORE_MARKS), required=MARKS)
        marks = {mark: marks[like] for mark, like in MORE_MARKS.items()} | marks
        syntax = {kind: syntax.get(kind, syntax["plain"]) for kind in SYNTAX}
        lines = self._styles(data, "lines", known=LINES, required=())
        if len(lines) < len(LINES):
            lines = mix_lines(theme, syntax, marks) | lines
        return Palette(syntax, marks, lines)

    def _styles(
        self, data: dict[str, Any], table: str, known: tuple[str, ...], required: tuple[str, ...]
    ) -> dict[str, Style]:
        texts = self._texts(data, table)
        self._demand_names(table, texts, known=known, required=required)
        styles = {}
        for key, value in texts.items():
            try:
                styles[key] = Style.parse(value)
            except StyleSyntaxError:
                raise self._error(f"{value!r} is not a style", table, key) from None
        return styles

    def _texts(self, data: dict[str, Any], table: str) -> dict[str, str]:
        texts = data.get(table, {})
        if not isinstance(texts, dict):
            raise self._error(f"[{table}] must be a table")
        for key, value in texts.items():
            if not isinstance(value, str):
                raise self._error("the value must be a text", table, key)
        return texts

    def _demand_names(
        self, table: str, texts: dict[str, str], known: tuple[str, ...], required: tuple[str, ...]
    ) -> None:
        for key in texts:
            if key not in known:
                raise self._error("there is no such key", table, key)
        for key in required:
            if key not in texts:
                raise self._error("it is missing", table, key)

    def _error(self, what: str, table: str = "", key: str = "") -> ThemeError:
        place = f", [{table}] {key}" if table else ""
        return ThemeError(f"Theme file {self._file.name}{place}: {what}.")
