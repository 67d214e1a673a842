"""The about dialog: versions, adapter capabilities, and the address for other programs."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import ClassVar

import msgspec
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from tuidbg.config.launch import LaunchPlan
from tuidbg.session.core.session import Session
from tuidbg.session.hub.switch import Served
from tuidbg.tui.toolkit.dialogs.box import ReadingBox
from tuidbg.tui.toolkit.dialogs.dialog import Dialog

_PACKAGES = ("tuidbg", "debugpy", "textual")


class AboutDialog(Dialog[None]):
    """The dialog of versions and capabilities; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "close", show=False)]
    DEFAULT_CSS = """
    AboutDialog ReadingBox { padding: 0 2; }
    """

    def __init__(self, session: Session, served: Served | None) -> None:
        super().__init__()
        self._session = session
        self._served = served

    def compose(self) -> ComposeResult:
        with ReadingBox() as box:
            box.border_title = "About"
            yield Static(self._text(), classes="prose")

    def _text(self) -> Text:
        text = Text(no_wrap=False)
        for name, value in self._facts():
            text.append(f"{name:<10}", "bold").append(f"{value}\n")
        can, can_not = capabilities_of(self._session)
        if can or can_not:
            text.append(f"\nThe adapter ({self._session.profile.name}) can\n", "bold underline")
            text.append(", ".join(can) or "nothing of what DAP leaves open")
            text.append("\n\nIt can't\n", "bold underline")
            text.append(", ".join(can_not), "dim")
        return text

    def _facts(self) -> list[tuple[str, str]]:
        facts = [(name, version_of(name)) for name in _PACKAGES]
        facts.insert(1, ("Python", f"{platform.python_version()} (runs tuidbg)"))
        facts.append(("program", f"{self._session.plan.title} by {_interpreter(self._session)}"))
        if self._served is None:
            facts.append(("server", "off"))
        else:
            facts.append(("server", self._served.address))
            facts.append(("token", self._served.token_file or "none is needed"))
        return facts

    def action_close(self) -> None:
        if self.is_active:
            self.dismiss(None)


def _interpreter(session: Session) -> str:
    """Return the program's interpreter, and why it was chosen."""
    plan = session.plan
    return plan.interpreter if isinstance(plan, LaunchPlan) else plan.python


def version_of(package: str) -> str:
    """Return the installed version."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def capabilities_of(session: Session) -> tuple[list[str], list[str]]:
    """Return the adapter's capabilities and missing ones; empty before its initialization."""
    if not session.adapter.has_begun:
        return [], []
    can, can_not = set[str](), set[str]()
    for name, value in msgspec.structs.asdict(session.adapter.capabilities).items():
        if value is None or isinstance(value, bool):
            words = name.removeprefix("supports_").removeprefix("support_").removesuffix("_request")
            (can if value else can_not).add(words.replace("_", " "))
    return sorted(can), sorted(can_not - can)
