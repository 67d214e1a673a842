"""The theme files: complete, legible, and with clear words where they are broken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.color import ColorType
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from tests.support.legible import VGA, XTERM, contrast
from tests.support.screens import debugger
from tuidbg.tui.toolkit.theme.theme import (
    MARKS,
    Palette,
    ThemeError,
    ThemeFile,
    add_user_themes,
    find_theme,
    load_themes,
    palette_for,
    register_themes,
    resolve_theme,
    theme_names,
    themes_folder,
)

SHIPPED = load_themes()

CASES = [
    pytest.param(file, terminal, id=f"{file.theme.name}{name}")
    for file in SHIPPED
    for name, terminal in ((("-xterm", XTERM), ("-vga", VGA)) if file.theme.ansi else (("", ""),))
]


OWN = {True: (7, 0), False: (0, 15)}
"""The text and the ground of a terminal that is dark or not, where a theme leaves them to it."""


def shown(color: Color, terminal: str, default: int) -> Color:
    """A colour as a terminal shows it."""
    if color.ansi is None:
        return color
    return Color.parse(f"#{terminal.split()[default if color.ansi < 0 else color.ansi]}")


def colors_of(style: Style, background: Color, terminal: str, *, dark: bool) -> tuple[Color, Color]:
    assert style.color is not None
    own_text, own_ground = OWN[dark]
    text = shown(Color.from_rich_color(style.color), terminal, own_text)
    if style.bgcolor is None:
        return text, background
    return text, shown(Color.from_rich_color(style.bgcolor), terminal, own_ground)


def test_the_themes_there_are() -> None:
    assert [(file.theme.name, file.theme.dark, file.theme.ansi) for file in SHIPPED] == [
        ("tuidbg-ansi", True, True),
        ("tuidbg-ansi-light", False, True),
        ("tuidbg-dark", True, False),
        ("tuidbg-high-contrast", True, False),
        ("tuidbg-light", False, False),
    ]
    assert themes_folder().name == "themes"


ROWS = ("current", "raised", "selected", "cursor")
"""What lies over whole lines of source."""


def assert_legible(theme: Theme, palette: Palette, terminal: str) -> None:
    """Of source text, of marks and of what stands behind lines, on each kind of row."""
    least = 7.0 if "contrast" in theme.name else 4.5
    dark = theme.dark
    background = shown(Color.parse(theme.background or DEFAULT[dark]), terminal, OWN[dark][1])
    ground = Style(bgcolor=Color.parse(theme.background or DEFAULT[theme.dark]).rich_color)
    for row in (Style(), *(palette.lines[name] for name in ROWS)):
        for kind, style in (*palette.syntax.items(), *palette.marks.items()):
            ratio = contrast(
                *colors_of(ground + row + style + row, background, terminal, dark=dark)
            )
            assert ratio >= least or style.bgcolor, f"{kind} on {row}: {ratio:.2f}"
        for ratio in [
            contrast(*colors_of(style, background, terminal, dark=dark))
            for style in (
                ground + row + palette.lines["exception"],
                ground + palette.lines["values"] + row,
            )
        ]:
            assert ratio >= least, f"behind a line, on {row}: {ratio:.2f}"


DEFAULT = {True: "#121212", False: "#e0e0e0"}
"""Textual's background of a theme that has none, by whether it is dark."""


@pytest.mark.parametrize(("file", "terminal"), CASES)
def test_text_is_legible(file: ThemeFile, terminal: str) -> None:
    assert_legible(file.theme, file.palette, terminal)
    least = 7.0 if "contrast" in file.theme.name else 4.5
    text, below = OWN[file.theme.dark]
    for name in ("foreground", "primary", "secondary", "accent", "success", "warning", "error"):
        for ground in ("background", "surface"):
            ratio = contrast(
                shown(Color.parse(getattr(file.theme, name)), terminal, text),
                shown(Color.parse(getattr(file.theme, ground)), terminal, below),
            )
            assert ratio >= least, f"{name} on {ground}: {ratio:.2f}"


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: str(file.theme.name))
def test_values_behind_lines_do_not_look_like_comments(file: ThemeFile) -> None:
    values = file.palette.lines["values"]
    assert values.color != file.palette.syntax["comment"].color
    assert not values.italic


@pytest.mark.parametrize(("file", "terminal"), CASES)
def test_marks_are_visible(file: ThemeFile, terminal: str) -> None:
    contrasty = 7.0 if "contrast" in file.theme.name else 4.5
    dark = file.theme.dark
    background = shown(Color.parse(file.theme.background or ""), terminal, OWN[dark][1])
    for mark in MARKS:
        foreground, ground = colors_of(file.palette.marks[mark], background, terminal, dark=dark)
        assert contrast(foreground, ground) >= contrasty, mark
    for mark, least in (("current", 1.4), ("selected", 1.4)):
        _, ground = colors_of(file.palette.marks[mark], background, terminal, dark=dark)
        assert contrast(ground, background) >= least, mark


@pytest.mark.parametrize("theme", BUILTIN_THEMES.values(), ids=lambda theme: theme.name)
def test_textuals_themes_borrow_syntax_colours_by_their_darkness(theme: Theme) -> None:
    name = "ansi" if theme.ansi else ("dark" if theme.dark else "light")
    expected = next(file for file in SHIPPED if file.theme.name == f"tuidbg-{name}").palette
    palette = palette_for(theme)
    if theme.ansi:
        assert palette == expected
        return
    for kind, style in palette.syntax.items():
        wanted = expected.syntax[kind]
        assert (style.bold, style.italic) == (wanted.bold, wanted.italic)
    assert_legible(theme, palette, "")


def test_names_resolve() -> None:
    assert resolve_theme("dark") == "tuidbg-dark"
    assert resolve_theme("tuidbg-light") == "tuidbg-light"
    assert resolve_theme("nord") == "nord"
    with pytest.raises(
        ThemeError,
        match=r"no theme 'neon'; there are: ansi, ansi-light, dark, high-contrast, light, .*nord",
    ):
        resolve_theme("neon")


async def test_textual_accepts_the_themes() -> None:
    app: App[None] = App()
    register_themes(app)
    async with app.run_test() as pilot:
        for file in SHIPPED:
            app.theme = file.theme.name
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


def test_looks_of_lines_left_out_are_mixed_from_the_others(tmp_path: Path) -> None:
    mine = GOOD.replace("[marks]", '[lines]\ncursor = "on #333333"\n[marks]')
    mine = mine.replace('current = "bold #ffffff"', 'current = "bold #000000 on #ff0000"')
    (tmp_path / "mine.toml").write_text(mine)
    (file,) = load_themes(tmp_path)
    lines = file.palette.lines
    assert lines["cursor"] == Style.parse("on #333333")
    current = lines["current"].bgcolor
    assert current is not None and current.triplet is not None
    assert current.triplet.red > current.triplet.green == current.triplet.blue


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
        ("[marks]", '[lines]\nrow = "on #333"\n[marks]', "[lines] row: there is no such key"),
        ("[marks]", '[lines]\ncursor = "on"\n[marks]', "[lines] cursor: 'on' is not a style"),
        ("dark = true", "dark = true\nshade = 3", "unknown key 'shade'"),
        ("dark = true", "dark = ", "not valid TOML"),
        ("[colors]\n", "colors = 3\n[variables]\n", "[colors] must be a table"),
        ("dark = true", 'dark = true\nansi = "yes"', "'ansi' must be true or false"),
        (
            "[syntax]",
            '[variables]\nborder = "blueish"\n[syntax]',
            "[variables] border: 'blueish' is not a colour",
        ),
        (
            "[syntax]",
            '[variables]\nblock-cursor-text-style = "blod"\n[syntax]',
            "[variables] block-cursor-text-style: 'blod' is not a text style",
        ),
        (
            "[syntax]",
            '[variables]\n"a;b" = "#fff"\n[syntax]',
            "[variables] a;b: no such name can be used",
        ),
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


# The person's own themes


@pytest.fixture
def config(tmp_path: Path) -> Iterator[Path]:
    """A config folder with room for themes; they are forgotten afterwards."""
    (tmp_path / "themes").mkdir()
    yield tmp_path
    add_user_themes(None)


def test_own_themes_are_known_and_broken_ones_told(config: Path) -> None:
    (config / "themes" / "mine.toml").write_text(GOOD)
    (config / "themes" / "bad.toml").write_text(GOOD.replace("dark = true", "dark = 1"))
    (config / "themes" / "again.toml").write_text(GOOD.replace('"mine"', '"light"'))
    (config / "themes" / "other.toml").write_text(GOOD.replace('"mine"', '"nord"'))
    problems = add_user_themes(config)
    assert problems == [
        "Theme file again.toml: there is a theme 'light' already.",
        "Theme file bad.toml: 'dark' must be true or false.",
        "Theme file other.toml: there is a theme 'nord' already.",
    ]
    assert resolve_theme("mine") == "tuidbg-mine"
    assert palette_for(find_theme("tuidbg-mine").theme).syntax["keyword"].bold
    assert add_user_themes(config) == problems  # read again, not added again
    assert add_user_themes(None) == []
    assert "tuidbg-mine" not in theme_names()


def test_without_a_folder_there_are_no_own_themes(tmp_path: Path) -> None:
    assert add_user_themes(tmp_path / "nowhere") == []


@pytest.mark.full
@pytest.mark.real
async def test_an_own_theme_is_put_on_like_any_other(config: Path) -> None:
    (config / "themes" / "mine.toml").write_text(GOOD)
    add_user_themes(config)
    async with debugger(config) as bench:
        register_themes(bench.app)
        bench.app.theme = "tuidbg-high-contrast"
        await bench.press("f8")
        assert bench.app.theme == "tuidbg-mine"
        assert bench.app.remembered.theme == "tuidbg-mine"


# The terminal's own colours


SCENES = {
    "stopped": (),
    "variables": ("2",),
    "searching": ("slash", *"parcel"),
    "help": ("question_mark",),
    "breakpoint": ("B",),
    "exceptions": ("x",),
    "find": ("ctrl+f",),
    "key map": ("f7",),
    "trace": ("6",),
}


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("keys", SCENES.values(), ids=SCENES)
async def test_the_ansi_theme_has_the_terminals_colours_only(
    tmp_path: Path, keys: tuple[str, ...]
) -> None:
    async with debugger(tmp_path) as bench:
        register_themes(bench.app)
        bench.app.theme = "tuidbg-ansi"
        await bench.press_and_wait(*keys)
        strips = bench.app.screen._compositor.render_strips()
        wrong = {
            (str(color), segment.text)
            for strip in strips
            for segment in strip
            if segment.style is not None
            for color in (segment.style.color, segment.style.bgcolor)
            if color is not None and color.type not in (ColorType.STANDARD, ColorType.DEFAULT)
        }
        assert not wrong


@pytest.mark.full
@pytest.mark.real
async def test_what_is_under_the_cursor_can_be_read_in_ansi(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        register_themes(bench.app)
        bench.app.theme = "tuidbg-ansi"
        await bench.press_and_wait("2")
        for strip in bench.app.screen._compositor.render_strips():
            for segment in strip:
                style = segment.style
                if segment.text.strip() and style is not None and style.color is not None:
                    is_same = style.color == style.bgcolor and not style.color.is_default
                    assert not is_same, segment.text
