"""The theme files: complete, legible, and with clear words where they are broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from tuidbg.tui.theme import (
    MARKS,
    SYNTAX,
    ThemeError,
    ThemeFile,
    load_themes,
    palette_for,
    register_themes,
    resolve_theme,
    themes_folder,
)

SHIPPED = load_themes()


def luminance(color: Color) -> float:
    """Relative luminance as WCAG 2.1 defines it."""

    def linear(value: int) -> float:
        part = value / 255
        return part / 12.92 if part <= 0.03928 else float(((part + 0.055) / 1.055) ** 2.4)

    return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b)


def contrast(one: Color, other: Color) -> float:
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def colors_of(style: Style, background: Color) -> tuple[Color, Color]:
    def parsed(color: RichColor | None, default: Color) -> Color:
        return default if color is None else Color.from_rich_color(color)

    assert style.color is not None
    return parsed(style.color, background), parsed(style.bgcolor, background)


def test_there_is_a_dark_and_a_light_theme() -> None:
    assert [(file.theme.name, file.theme.dark) for file in SHIPPED] == [
        ("tuidbg-dark", True),
        ("tuidbg-light", False),
    ]
    assert themes_folder().name == "themes"


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.theme.name)
def test_text_is_legible(file: ThemeFile) -> None:
    background = Color.parse(file.theme.background or "")
    for kind in SYNTAX:
        ratio = contrast(*colors_of(file.palette.syntax[kind], background))
        assert ratio >= (4.0 if kind == "comment" else 4.5), f"{kind}: {ratio:.2f}"
    for name in ("foreground", "primary", "secondary", "accent", "success", "warning", "error"):
        for ground in ("background", "surface"):
            ratio = contrast(
                Color.parse(getattr(file.theme, name)), Color.parse(getattr(file.theme, ground))
            )
            assert ratio >= 4.5, f"{name} on {ground}: {ratio:.2f}"


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.theme.name)
def test_marks_are_visible(file: ThemeFile) -> None:
    background = Color.parse(file.theme.background or "")
    for mark in MARKS:
        foreground, ground = colors_of(file.palette.marks[mark], background)
        assert contrast(foreground, ground) >= 4.5, mark
    for mark, least in (("current", 1.4), ("selected", 1.4)):
        _, ground = colors_of(file.palette.marks[mark], background)
        assert contrast(ground, background) >= least, mark


@pytest.mark.parametrize("theme", BUILTIN_THEMES.values(), ids=lambda theme: theme.name)
def test_textuals_themes_borrow_syntax_colours_by_their_darkness(theme: Theme) -> None:
    expected = next(file for file in SHIPPED if file.theme.dark == theme.dark)
    assert palette_for(theme) == expected.palette


def test_names_resolve() -> None:
    assert resolve_theme("dark") == "tuidbg-dark"
    assert resolve_theme("tuidbg-light") == "tuidbg-light"
    assert resolve_theme("nord") == "nord"
    with pytest.raises(
        ThemeError, match=r"There is no theme 'neon'; there are: dark, light, .*nord"
    ):
        resolve_theme("neon")


async def test_textual_accepts_the_themes() -> None:
    app: App[None] = App()
    register_themes(app)
    async with app.run_test() as pilot:
        for name in ("tuidbg-dark", "tuidbg-light"):
            app.theme = name
            await pilot.pause()
            assert app.theme_variables["background"].lower() == str(app.current_theme.background)


GOOD = """
name = "mine"
dark = true
[colors]
primary = "#ffffff"
foreground = "#ffffff"
background = "#000000"
[syntax]
plain = "#ffffff"
keyword = "bold #ff0000"
[marks]
""" + "\n".join(f'{mark} = "bold #ffffff"' for mark in MARKS)


def test_syntax_kinds_left_out_look_plain(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(GOOD)
    (file,) = load_themes(tmp_path)
    assert file.theme.name == "tuidbg-mine"
    assert file.palette.syntax["number"] == Style.parse("#ffffff")
    assert file.palette.syntax["keyword"] == Style.parse("bold #ff0000")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "mine"', "", "'name' must be a text"),
        ("dark = true", 'dark = "yes"', "'dark' must be true or false"),
        (
            'primary = "#ffffff"',
            'primary = "whiteish"',
            "[colors] primary: 'whiteish' is not a col",
        ),
        ('primary = "#ffffff"', "", "[colors] primary: it is missing"),
        ('primary = "#ffffff"', "primary = 3", "[colors] primary: the value must be a text"),
        ('plain = "#ffffff"', 'plain = "blod #fff"', "[syntax] plain: 'blod #fff' is not a style"),
        ('keyword = "', 'keywords = "', "[syntax] keywords: there is no such key"),
        ('refused = "bold #ffffff"', "", "[marks] refused: it is missing"),
        ("dark = true", "dark = true\nshade = 3", "unknown key 'shade'"),
        ("dark = true", "dark = ", "not valid TOML"),
        ("[colors]\n", "colors = 3\n[variables]\n", "[colors] must be a table"),
    ],
)
def test_a_broken_theme_file_is_named_with_its_key(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    assert old in GOOD
    (tmp_path / "mine.toml").write_text(GOOD.replace(old, new, 1))
    with pytest.raises(ThemeError) as raised:
        load_themes(tmp_path)
    assert str(raised.value).startswith("Theme file mine.toml")
    assert words in str(raised.value)
    assert str(raised.value).endswith(".")


def test_bytes_that_are_no_text_are_said(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ThemeError, match="can't be read"):
        load_themes(tmp_path)
