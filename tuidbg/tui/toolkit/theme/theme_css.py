"""Styles that only some themes and terminals need, so that others start without them."""

from __future__ import annotations

from typing import Any

from textual.app import App

from tuidbg.tui.toolkit.theme.theme import (
    DEFAULT_THEME,
    PREFIX,
    register_themes,
    theme_names,
    theme_round,
)

THEME_CSS = """
Screen:ansi { background: $background; color: $foreground; }
ModalScreen:ansi { background: transparent; }
Dialog.-full:ansi { background: $background; }
Dialog:ansi > .dialog--dimmed { color: ansi_default; background: ansi_default; }
Divider:ansi { color: ansi_bright_black; }
Input:ansi, Button:ansi, ToggleButton:ansi { background: $background; color: $foreground; }
Input:ansi > .input--cursor {
    background: $input-cursor-background; color: $input-cursor-foreground;
}
Input:ansi > .input--placeholder { color: $foreground; text-style: italic; }
Input:ansi > .input--suggestion { color: $foreground; text-style: italic; }
FormDialog Tick:ansi > .toggle--button { color: $foreground; background: $background; }
FormDialog Tick.-on:ansi > .toggle--button { color: $foreground; background: $background; }
FormDialog Tick:ansi:focus > .toggle--button { color: ansi_bright_white; background: ansi_blue; }
Button.-primary:ansi { background: $primary; color: ansi_black; }
Button:ansi:focus { background: ansi_blue; color: ansi_bright_white; }
CommandPalette:ansi > Vertical { background: $background; }
CommandPalette:ansi > .command-palette--help-text { text-style: not bold; }
CommandPalette:ansi #--input { border: hkey $foreground; }
CommandList:ansi { background: $background; color: $foreground; border-bottom: hkey $foreground; }
RowsPane:ansi > .rows--cursor { background: ansi_blue; }
RowsPane:ansi > .rows--cursor-blurred { background: $background; }
ModalScreen RowsPane:ansi > .rows--cursor-blurred { background: ansi_blue; }
WalkedList:ansi > .rows--cursor-blurred { background: ansi_blue; }
WalkedList.-passive:ansi > .rows--cursor-blurred { background: $background; }
ExceptionsDialog RowsPane:ansi > .rows--cursor-blurred { background: $background; }
ProgramForm RowsPane:ansi > .rows--cursor-blurred { background: $background; }
HelpDialog KeysPane:ansi > .rows--cursor-blurred { background: $background; }
HelpDialog KeysPane.-searched:ansi > .rows--cursor-blurred { background: ansi_blue; }
SourcePane:ansi > .source--match { background: $primary; color: ansi_black; }
SourcePane:ansi > .source--pointed { background: ansi_blue; color: ansi_bright_white; }
SourcePane:ansi:focus > .source--cursor { background: ansi_blue; color: ansi_bright_white; }
TracePane:ansi > .trace--match { background: ansi_blue; }
TracePane:ansi > .trace--hint { background: ansi_blue; }
TablePane:ansi > .table--row { background: $background; }
TablePane:ansi > .table--cursor { background: ansi_blue; }
TableLine:ansi > .table-line--marked { background: ansi_blue; }
PagerView:ansi > .pager--cursor { background: ansi_blue; }
PageText:ansi > .page--found { background: ansi_blue; }
ConsoleLog:ansi > .console-log--hint { background: ansi_blue; }
ConsoleResults:ansi > .console-log--cursor { background: ansi_blue; }
ConsolePopup:ansi > .console-popup--selected { background: ansi_blue; }
KeyBar:ansi > .keys--off { color: $foreground; }
StatusLine:ansi > .status--paused { background: ansi_bright_yellow; color: ansi_black; }
.-theme-tuidbg-high-contrast SourcePane > .source--line-number { color: #b8b8b8; }
.-theme-tuidbg-high-contrast SourcePane > .source--match { background: #00394d; }
.-theme-tuidbg-high-contrast SourcePane > .source--message { color: #b8b8b8; }
"""
"""Replacements for mixed shades: terminal colours can't be mixed, and faint is hard to read."""

NO_COLOR_CSS = """
StatusLine:nocolor > .status--paused { text-style: bold reverse; }
StatusLine:nocolor > .status--running { text-style: bold reverse; }
StatusLine:nocolor > .status--ended { text-style: bold reverse; }
StatusLine:nocolor > .status--failed { text-style: bold reverse; }
StatusLine:nocolor > .status--past { text-style: bold reverse; }
KeyBar:nocolor > .keys--evaluate-name { text-style: bold reverse; }
KeyBar:nocolor > .keys--line-name { text-style: bold reverse; }
KeyBar:nocolor > .keys--program-name { text-style: bold reverse; }
KeyBar:nocolor > .keys--dialog-name { text-style: bold reverse; }
PaneTabs:nocolor > .tabs--current { text-style: bold reverse; }
PaneTabs:nocolor > .tabs--focused { text-style: bold reverse; }
SharedTitle:nocolor > .title--current { text-style: bold underline; }
PaneTitle:nocolor > .title--focused { text-style: bold reverse; }
RowsPane:nocolor > .rows--cursor { text-style: reverse; }
RowsPane:nocolor > .rows--cursor-blurred { text-style: underline; }
ModalScreen RowsPane:nocolor > .rows--cursor-blurred { text-style: reverse; }
ExceptionsDialog RowsPane:nocolor > .rows--cursor-blurred { text-style: none; }
ProgramForm RowsPane:nocolor > .rows--cursor-blurred { text-style: none; }
HelpDialog KeysPane:nocolor > .rows--cursor-blurred { text-style: none; }
HelpDialog KeysPane.-searched:nocolor > .rows--cursor-blurred { text-style: reverse; }
WalkedList:nocolor > .rows--cursor-blurred { text-style: reverse; }
WalkedList.-passive:nocolor > .rows--cursor-blurred { text-style: underline; }
SourcePane:nocolor > .source--match { text-style: reverse underline; }
SourcePane:nocolor > .source--pointed { text-style: reverse; }
TracePane:nocolor > .trace--match { text-style: reverse underline; }
TablePane:nocolor > .table--cursor { text-style: reverse; }
TableLine:nocolor > .table-line--marked { text-style: reverse; }
PagerView:nocolor > .pager--cursor { text-style: underline; }
PagerView:nocolor > .pager--match { text-style: reverse; }
PageText:nocolor > .page--found { text-style: underline; }
PageText:nocolor > .page--match { text-style: reverse; }
ConsoleResults:nocolor > .console-log--cursor { text-style: reverse; }
ConsolePopup:nocolor > .console-popup--selected { text-style: reverse; }
MemoryPane:nocolor > .memory--changed { text-style: bold underline; }
MemoryPane:nocolor > .memory--cursor { text-style: reverse; }
MemoryPane:nocolor > .memory--typed { text-style: bold reverse; }
CodePane:nocolor > .code--match { text-style: reverse underline; }
Input:nocolor { text-style: underline; }
Input:nocolor > .input--cursor { text-style: reverse; }
Input:nocolor > .input--selection { text-style: reverse; }
Button:nocolor:focus { text-style: bold reverse; }
OptionList:nocolor > .option-list--option-highlighted { text-style: reverse; }
"""
"""Attributes in place of colours for NO_COLOR."""


def start_with_theme(app: App[Any], name: str) -> None:
    """Set an app's first theme; the others are registered when the user chooses one."""
    name = name or DEFAULT_THEME
    register_themes(app, {name}.intersection(theme_names()))
    app.theme = name
    add_styles(app)


def add_styles(app: App[Any]) -> None:
    """Add the styles of special themes, which cost the start of the others nothing."""
    theme = app.current_theme
    for name, css, is_needed in (
        ("THEME_CSS", THEME_CSS, theme.ansi or theme.name == f"{PREFIX}high-contrast"),
        ("NO_COLOR_CSS", NO_COLOR_CSS, app.no_color),
    ):
        if is_needed and not app.stylesheet.has_source("theme_css.py", name):
            app.stylesheet.add_source(css, ("theme_css.py", name))


def take_next_theme(app: App[Any]) -> None:
    """Switch to the next theme of tuidbg or the user."""
    register_themes(app)
    names = theme_round()
    here = names.index(app.theme) if app.theme in names else -1
    app.theme = names[(here + 1) % len(names)]
