"""The shapes of dialogs: one table, and one set of styles.

- a *box* asks a question, holds a short form or offers a few choices;
- a *dock* is read beside the source, which stays bright: at the right of a wide screen, else below;
- *full* are the help, the settings, long lists and tables: nothing else is on the screen;
- a *line* is typed at the bottom, while the panes show what it finds.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Shape(StrEnum):
    """The shape of a dialog; its value is the CSS class of the screen."""

    BOX = "-box"
    DOCK = "-dock"
    FULL = "-full"
    LINE = "-line"


SHAPES: Mapping[str, Shape] = {
    # A question, a short form, a few choices
    "AboutDialog": Shape.BOX,
    "AdaptersDialog": Shape.BOX,
    "AgreementDialog": Shape.BOX,
    "AttachDialog": Shape.BOX,
    "BreakpointDialog": Shape.BOX,
    "CellDialog": Shape.BOX,
    "ChoiceDialog": Shape.BOX,
    "CommandsPalette": Shape.BOX,
    "DoctorDialog": Shape.BOX,
    "ExceptionsDialog": Shape.BOX,
    "LaunchDialog": Shape.BOX,
    "NotesDialog": Shape.BOX,
    "OptionsDialog": Shape.BOX,
    "QuestionDialog": Shape.BOX,
    "SeriesDialog": Shape.BOX,
    "SessionsDialog": Shape.BOX,
    "SetValueDialog": Shape.BOX,
    "StepTargetsDialog": Shape.BOX,
    "TableKeysDialog": Shape.BOX,
    # Beside the source
    "AutopsyDialog": Shape.DOCK,
    "MomentsDialog": Shape.DOCK,
    "PagerDialog": Shape.DOCK,
    "TasksDialog": Shape.DOCK,
    # Instead of the panes
    "ConfigurationsDialog": Shape.FULL,
    "FindDialog": Shape.FULL,
    "HelpDialog": Shape.FULL,
    "HistoryDialog": Shape.FULL,
    "JobDialog": Shape.FULL,
    "LifetimeDialog": Shape.FULL,
    "ManualDialog": Shape.FULL,
    "ModulesDialog": Shape.FULL,
    "PageDialog": Shape.FULL,
    "ProcessesDialog": Shape.FULL,
    "SettingsDialog": Shape.FULL,
    "TableDialog": Shape.FULL,
    # At the bottom
    "PromptDialog": Shape.LINE,
}
"""The shape of each dialog, by the name of its class."""

SHAPES_CSS = """
Dialog { align: center middle; background: transparent; }
Dialog > .dialog--dimmed { color: $foreground 45%; background: $background; }
Dialog #box {
    background: $surface; border: round $primary;
    border-title-color: $primary; border-subtitle-color: $text-muted;
}
Dialog.-full { background: $background; }
Dialog.-full #box { width: 100%; height: 1fr; max-height: 100%; }
Dialog.-dock { align: right bottom; }
Dialog.-dock #box { width: 100%; height: 66%; }
Dialog.-dock.-wide #box { width: 50%; height: 100%; margin-bottom: 1; }
Dialog.-line { align: left bottom; }
"""


def shape_of(name: str) -> Shape:
    """The shape of a class of dialogs; a box where the table has none."""
    return SHAPES.get(name, Shape.BOX)
