"""Styles are given by the names of classes, and Textual's own widgets have theirs."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import textual.command
import textual.widgets
from textual.dom import DOMNode

import tuidbg.tui


def subclasses(of: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for each in of.__subclasses__():
        yield each
        yield from subclasses(each)


def import_all(package: ModuleType) -> None:
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(found.name)


def test_no_widget_has_the_name_of_one_of_textuals() -> None:
    """Its styles were those of both: the palette's input was invisible behind the start screen."""
    import_all(textual.widgets)
    import_all(tuidbg.tui)
    theirs, ours = set[str](), set[str]()
    for each in subclasses(DOMNode):
        if each.__module__.startswith("textual."):
            theirs.add(each.__name__)
        elif each.__module__.startswith("tuidbg."):
            ours.add(each.__name__)
    assert len(theirs) > 50 and len(ours) > 50, "it has looked"
    assert not theirs & ours
