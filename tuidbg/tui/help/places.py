"""Tells where the manual speaks of a place: each pane and each dialog has its page.

F1 opens it there. A place is the name of a pane or of the class of a dialog; its page is a topic,
or a topic and a heading in it. Where a dialog is a means of several features (a line, a choice),
the place below it tells the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from textual.dom import DOMNode
from textual.screen import Screen

from tuidbg.manual.pages import read_page
from tuidbg.tui.help.panes import PANE_KEYS
from tuidbg.tui.help.topics import Place

BELOW = ""
"""Stands for the page of what is below."""

PAGES: Mapping[str, str] = {
    # Panes
    "source": "values#In the source",
    "variables": "values#Variables",
    "stack": "stack",
    "breakpoints": "breakpoints",
    "console": "values#Console",
    "trace": "breakpoints#What one can have",
    "activity": "sharing#The person keeps the upper hand",
    "log": "sharing",
    "memory": "native#Memory and machine code",
    "code": "native#Memory and machine code",
    "terminal": "terminal",
    "StartScreen": "start",
    "DebugScreen": "keys",
    # Dialogs of one feature
    "AboutDialog": "start",
    "AdaptersDialog": "adapters",
    "AgreementDialog": "launch-json",
    "AttachDialog": "attach",
    "AutopsyDialog": "history#Exceptions",
    "BreakpointDialog": "breakpoints#What one can have",
    "CellDialog": "tables",
    "CommandsPalette": "keys",
    "ConfigurationsDialog": "launch-json",
    "DoctorDialog": "breakpoints",
    "ExceptionsDialog": "breakpoints#Exceptions",
    "FindDialog": "values#In the source",
    "HelpDialog": "keys",
    "HistoryDialog": "history#History",
    "JobDialog": "jobs",
    "LaunchDialog": "start",
    "LifetimeDialog": "history#One call of a function",
    "MomentsDialog": "recording#Questions",
    "ModulesDialog": "breakpoints#Libraries",
    "NotesDialog": "launch-json",
    "OptionsDialog": "launch-json",
    "ProcessesDialog": "attach",
    "QuestionDialog": "launch-json",
    "SeriesDialog": "history#History",
    "SessionsDialog": "children",
    "SettingsDialog": "settings#The dialog of settings",
    "SetValueDialog": "values#Variables",
    "StepTargetsDialog": "stack",
    "TableDialog": "tables",
    "TableKeysDialog": "tables",
    "TasksDialog": "stack",
    # Means of several features
    "ChoiceDialog": BELOW,
    "PagerDialog": BELOW,
    "PromptDialog": BELOW,
}


def find_place(screens: Sequence[Screen[Any]]) -> Place:
    """The section about what has the focus; ``screens`` are the stack, the last one on top."""
    for screen in reversed(screens):
        for name in names_in_focus(screen):
            if page := PAGES.get(name, BELOW):
                return _place_of(page)
    return Place("keys")


def keys_in_focus(screens: Sequence[Screen[Any]]) -> str:
    """The name of the pane whose keys the help shows first; empty where there is none."""
    names = (name for screen in reversed(screens) for name in names_in_focus(screen))
    return next((name for name in names if name in PANE_KEYS), "")


def names_in_focus(screen: Screen[Any]) -> Iterator[str]:
    """The names of what has the focus on a screen, from inside out: ids, and names of classes."""
    node: DOMNode | None = screen.focused or screen
    while node is not None:
        if node.id:
            yield node.id
        yield from (each.__name__ for each in type(node).__mro__ if issubclass(each, DOMNode))
        node = None if node is screen else node.parent


def _place_of(page: str) -> Place:
    topic, _, heading = page.partition("#")
    headings = [section.heading for section in read_page(topic).sections]
    return Place(topic, headings.index(heading) if heading else 0)
