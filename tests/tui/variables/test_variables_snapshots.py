"""Pictures of the variables pane and its dialogs, at the sizes people have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.pictures import NAMES, SIZES, Pictures, Size, Stage
from tests.support.sessions import until
from tuidbg.session.core.values.types import FIRST_HANDLE, FullText, VariableNode
from tuidbg.session.model.state import ValueProblem, Variable, VariableKind
from tuidbg.tui.features.variables.commands import SetValueDialog
from tuidbg.tui.toolkit.dialogs.pager import PagerDialog

pytestmark = pytest.mark.full


def var(
    name: str, value: str, type: str = "", *below: VariableNode, start: int = 0, **more: Any
) -> VariableNode:
    """A variable as the inside of a program tells it."""
    fields: dict[str, Any] = {"handle": FIRST_HANDLE, "evaluate_name": name, **more}
    fields.setdefault("reference", FIRST_HANDLE if below else 0)
    variable = Variable(name=name, value=value, type=type, **fields)
    total = variable.total or len(below)
    return VariableNode(variable, below or None, start=start, total=total)


def tree(*children: VariableNode) -> list[VariableNode]:
    scope = Variable(name="Locals", value="", reference=FIRST_HANDLE)
    other = Variable(name="Globals", value="", reference=FIRST_HANDLE + 1)
    return [
        VariableNode(scope, children, True, 0, len(children)),
        VariableNode(other, is_scope=True),
    ]


def many(count: int, extra: bool) -> list[VariableNode]:
    prop: dict[str, Any] = {"kind": VariableKind.PROPERTY, "problem": ValueProblem.LAZY}
    slow: dict[str, Any] = {"problem": ValueProblem.SLOW, "reference": FIRST_HANDLE}
    raised: dict[str, Any] = {"problem": ValueProblem.RAISED, "reference": FIRST_HANDLE}
    page = [var(str(n), str(n), "int") for n in range(500_000, 500_003)]
    box = [
        var("width", "3", "int"),
        var("area", "9", "int", kind=VariableKind.PROPERTY),
        var("volume", "<property>", **prop),
        var("kind", "'box'", "str", kind=VariableKind.SHARED),
    ]
    nodes = [
        var("array", "[0.0, 1.0, 2.0, ...]", "ndarray", size="(2000000, 3) float64"),
        var("big", "[0, 1, 2, 3, 4...", "list", *page, start=500_000, total=1_000_000,
            size="1,000,000"),
        var("box", "<__main__.Box object at 0x7f00>", "Box", *box),
        var("count", str(count), "int"),
        var("escape", r"'\x1b[31mred [b]no markup[/b] 中文🙂'", "str"),
        var("main", "<function main at 0x7f01>", "function", kind=VariableKind.CALLABLE),
        var("raiser", "<raised ValueError: not today>", "Raiser", **raised),
        var("sleeper", "<takes more than 0.2 s>", "Sleeper", **slow),
        var("talker", "Talker()", "Talker", remark="its repr prints"),
    ]  # fmt: skip
    gone = var("gone", "[1, 2]", "list", size="2")
    return tree(*nodes, var("fresh", "None", "NoneType") if extra else gone)


async def variables(stage: Stage) -> None:
    """Every kind of row; something has changed, come and gone."""
    pane, view = stage.screen.variables, stage.screen.view
    assert view.frame is not None
    call = view.focus.call_of(view.frame)
    for path in (("Locals", "big"), ("Locals", "box"), ("Locals", "box", "computed properties")):
        pane._open.setdefault(call.function, {("Locals",)}).add(path)
    for stop, extra in ((100, False), (101, True)):
        pane.show_variables(call, many(stop, extra), stop_id=stop)
    await stage.press("2", "down", "down", "down")


async def maximised(stage: Stage) -> None:
    """The same on the whole screen, filtered."""
    await variables(stage)
    await stage.press("z")


async def set_value(stage: Stage) -> None:
    """The dialog of a new value, refused."""
    variable = Variable(name="count", value="41", type="int", evaluate_name="box.count")
    undo = "; U undoes it until the program resumes"
    dialog = SetValueDialog(variable, lambda dialog, text: None, undo)
    await stage.app.push_screen(dialog)
    dialog.refuse("NameError: name 'coun' is not defined")
    await stage.press(*"coun + 1")


async def pager(stage: Stage) -> None:
    """The pager with a long text, a search in it."""
    lines = [f"line {n}: some [red]text[/red] of the program's \x1b[31m" for n in range(200)]
    lines[3] = "a long line " * 40

    async def fetch(how: str) -> FullText:
        return FullText("\n".join(lines), 123_456_789, "str")

    dialog = PagerDialog("box.text", "str", fetch, lambda text: None)
    await stage.app.push_screen(dialog)
    await until(lambda: dialog._full is not None, "the text")
    await stage.press("slash", *"some", "enter")


async def pager_bytes(stage: Stage) -> None:
    """The pager with bytes."""

    async def fetch(how: str) -> FullText:
        return FullText(bytes(range(256)).hex(), 256, "bytes")

    dialog = PagerDialog("data", "bytes", fetch, lambda text: None)
    await stage.app.push_screen(dialog)
    await until(lambda: dialog._full is not None, "the bytes")
    await stage.press("down")


async def filters(stage: Stage) -> None:
    """The dialog of what is shown."""
    await variables(stage)
    await stage.press("F", "down")


async def copy(stage: Stage) -> None:
    """The choice of what to copy."""
    await variables(stage)
    await stage.press("up", "y")


SCENES = (variables, maximised, set_value, pager, pager_bytes, filters, copy)


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_picture(
    scene: Callable[[Stage], Any],
    size: Size,
    pictures: Pictures,
) -> None:
    pictures.compare_scene(scene, size)
