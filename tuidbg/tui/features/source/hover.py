"""The value of a name in the source: under the mouse, or by key on the cursor's line.

Only names and attribute chains are evaluated, never a call or an item; values known to the
variables pane are not fetched again.
"""

from __future__ import annotations

from tuidbg.session.model.errors import DebuggerError, StaleReply
from tuidbg.session.model.state import EvaluateResult, Status
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.source.names import Name
from tuidbg.tui.panes.source.source_pane import SourcePane
from tuidbg.tui.toolkit.widgets.rows import visible


def toggle_inline_values(ui: Context) -> None:
    shown = ui.view.inline_values.toggle()
    ui.status.show_hint("values behind the lines: " + ("shown" if shown else "not shown"))


def name_pointed(ui: Context, event: SourcePane.NamePointed) -> None:
    if ui.session.status is not Status.PAUSED or ui.view.frame is None:
        return
    if event.name is None:
        ui.source.names.mark(None)
        ui.status.show_hint("there is no name on this line")
    else:
        ui.source.names.mark(event.line, event.name)
        ui.run_in_background("hover", _look_up, ui, event.name)


async def _look_up(ui: Context, name: Name) -> None:
    frame = ui.view.frame
    if frame is None:
        return
    try:
        found = ui.view.inline_values.known(name.expression)
        if found is None:
            evaluate = ui.session.inspection.evaluate
            found = await evaluate(name.expression, frame.id, "hover")
    except StaleReply:
        return
    except DebuggerError as error:
        ui.status.show_hint(f"{name.expression}: {error}", "warning")
    else:
        ui.status.show_hint(describe_value(name.expression, found))


def describe_value(expression: str, found: EvaluateResult) -> str:
    """Return ``total: int = 12``."""
    kind = f": {found.type}" if found.type else ""
    return visible(f"{expression}{kind} = {found.value}")
