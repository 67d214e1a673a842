"""Queries of the recording: last change, all values, conditions, calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from tuidbg.recording.timeline import Moment, RecordedFrame
from tuidbg.session.features.recording import run_of
from tuidbg.session.model.errors import EvaluationFailed, StaleReply
from tuidbg.tui.features.recorded_run.commands import has_past, looked_at
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.variables.variables_pane import WATCHES
from tuidbg.tui.panes.variables.watch_view import offered_expression
from tuidbg.tui.panes.view.past import ChangeQuery
from tuidbg.tui.toolkit.widgets.rows import visible

if TYPE_CHECKING:
    from tuidbg.session.features.recording.queries import BecameTrue

T = TypeVar("T")

SILENT = 0.2
"""Seconds of a query without a progress message."""

_AGAIN = 1.0
"""Seconds between two progress messages."""


async def seek(ui: Context, question: Coroutine[Any, Any, T], what: str) -> T:
    """Return the result of a query; ``what`` describes it.

    Raises StaleReply if the result is obsolete: the query was cancelled, another one was started,
    or the user has selected another moment.
    """
    past, asked_at = ui.view.past, _looked_at(ui)
    past.call_off()
    task = past.seeking = asyncio.ensure_future(question)
    began, wait, told = monotonic(), SILENT, ""
    try:
        while not (await asyncio.wait({task}, timeout=wait))[0]:
            told = f"searching for {what} ... {monotonic() - began:.0f} s (Esc cancels)"
            ui.status.show_hint(told)
            wait = _AGAIN
    finally:
        task.cancel()
        if past.seeking is task:
            past.seeking = None
        if told:
            ui.status.clear_hint(told)
    if task.cancelled() and past.seeking is None:
        ui.status.show_hint("search cancelled")
    if task.cancelled() or _looked_at(ui) != asked_at:
        raise StaleReply("question")
    answer: T = task.result()
    return answer


def _looked_at(ui: Context) -> tuple[int, object]:
    return ui.session.stop_id, ui.view.past.moment


_LONGEST = 60
"""Maximum characters of an expression in a sentence."""


def expression_at(ui: Context) -> str:
    """Return the variable, watch or name at the cursor."""
    key = ui.variables.cursor_key if ui.focused is ui.variables else None
    if isinstance(key, tuple) and len(key) > 1 and key[0] == WATCHES:
        watch = ui.session.watches.find(str(key[1]))
        return watch.expression if watch is not None else ""
    return offered_expression(ui)


# Last change


def show_last_change(ui: Context) -> None:
    """Go to the line of the last change of a value; again: to the change before."""
    if not has_past(ui):
        return
    expression = expression_at(ui)
    asked = _question(ui)
    if asked is not None:
        expression = expression if ui.focused is ui.variables else ""
        expression = expression or asked.expression
    if expression:
        ui.run_command(_show_last_change, ui, expression)
    else:
        ui.status.show_hint("move the cursor to a variable first", "warning")


def _question(ui: Context) -> ChangeQuery | None:
    """Return the question whose answer is shown."""
    asked = ui.view.past.question
    return asked if asked is not None and asked.moment == ui.view.past.moment else None


async def _frame_for(ui: Context, expression: str, moment: Moment) -> RecordedFrame:
    """Return the call to evaluate an expression in: that of the last question if it continues."""
    asked = _question(ui)
    if asked is not None and asked.expression == expression:
        return asked.frame
    return run_of(ui.session).frame_at(moment, ui.view.frame)


async def _show_last_change(ui: Context, expression: str) -> None:
    moment = await looked_at(ui)
    frame = await _frame_for(ui, expression, moment)
    asked = _question(ui)
    try:
        await trace_back(ui, expression, frame, moment)
    except EvaluationFailed:
        if asked is None or asked.expression != expression:
            raise
        ui.status.show_hint(f"{visible(expression, _LONGEST)} was not there before", "warning")


async def trace_back(ui: Context, expression: str, frame: RecordedFrame, moment: Moment) -> None:
    """Go to the line that last changed a value before a moment."""
    past = run_of(ui.session)
    name = visible(expression, _LONGEST)
    question = past.tables.last_change(expression, frame, moment.when)
    found = await seek(ui, question, f"what changed {name}")
    if found is None or found.place is None:
        ui.status.show_hint(f"{name} has been so since the recording began", "warning")
        return
    place = found.place
    ui.view.past.show(place.moment)
    ui.view.past.question = ChangeQuery(expression, frame, place.moment)
    ui.status.show_hint(visible(past.questions.describe(expression, found), 160))


# All values


def show_changes(ui: Context) -> None:
    """Show all values of an expression as a series; ask for it if there is none at the cursor."""
    if has_past(ui):
        asked = _question(ui)
        offered = expression_at(ui) or (asked.expression if asked is not None else "")
        _with_expression(ui, "All values of", offered, partial(_show_changes, ui))


def _with_expression(
    ui: Context, label: str, offered: str, ask: Callable[[str], Coroutine[Any, Any, None]]
) -> None:
    from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

    def take(text: str | None) -> None:
        if text is not None and text.strip():
            ui.run_command(ask, text.strip())

    if offered:
        ui.run_command(ask, offered)
    else:
        hint = "a variable, an attribute or an item"
        ui.app.push_screen(PromptDialog(label, hint=hint), take)


async def _show_changes(ui: Context, expression: str) -> None:
    from tuidbg.tui.features.recorded_run.dialog import table_of_changes

    moment = await looked_at(ui)
    frame = await _frame_for(ui, expression, moment)
    question = run_of(ui.session).tables.changes(expression, frame, moment.when)
    name = visible(expression, _LONGEST)
    found = await seek(ui, question, f"all values of {name}")
    if not found.rows:
        ui.status.show_hint(f"{name} has had no value since the recording began", "warning")
        return

    def take(chosen: Moment | None) -> None:
        if chosen is not None:
            ui.view.past.show(chosen)
            ui.view.past.question = ChangeQuery(expression, frame, chosen)

    _open(ui, table_of_changes(found, moment.when), take)


def _open(ui: Context, table: Any, take: Callable[[Moment | None], None] | None = None) -> None:
    from tuidbg.tui.features.recorded_run.dialog import MomentsDialog

    def show(chosen: Moment | None) -> None:
        if chosen is not None:
            ui.view.past.show(chosen)

    if not ui.is_covered:
        ui.app.push_screen(MomentsDialog(table), take or show)


# Executions of a line, calls of a function


def show_passes(ui: Context) -> None:
    """Show all executions of the line at the cursor, with the values there."""
    if has_past(ui):
        ui.run_command(_show_passes, ui)


async def _show_passes(ui: Context) -> None:
    from tuidbg.tui.features.recorded_run.dialog import table_of_passes

    document = ui.view.document
    if document is None:
        ui.status.show_hint("put the cursor on a line of the program", "warning")
        return
    path, line = document.key, ui.source.cursor_line
    source = "\n".join(document.lines)
    moment = await looked_at(ui)
    question = run_of(ui.session).tables.passes(path, line, source, moment.when)
    found = await seek(ui, question, f"the passes of line {line}")
    if found.rows:
        _open(ui, table_of_passes(found, moment.when))
    else:
        ui.status.show_hint(f"line {line} was not passed while it was recorded", "warning")


def show_calls(ui: Context) -> None:
    """Show all calls of the function named at the cursor, else of the enclosing function."""
    if has_past(ui):
        ui.run_command(_show_calls, ui)


async def _show_calls(ui: Context) -> None:
    from tuidbg.tui.features.recorded_run.dialog import table_of_calls

    moment = await looked_at(ui)
    past = run_of(ui.session)
    codes = _functions_at_cursor(ui) or past.functions_of(past.frame_at(moment, ui.view.frame))
    found = await seek(ui, past.tables.calls(codes, moment.when), "the calls")
    if found.rows:
        _open(ui, table_of_calls(found, moment.when))
    else:
        ui.status.show_hint("no call of it was recorded", "warning")


def _functions_at_cursor(ui: Context) -> frozenset[int]:
    """Return the recorded functions named at or enclosing the source's cursor; else none."""
    from tuidbg.session.features.recording.calls.call import function_at
    from tuidbg.session.features.recording.queries import functions_in

    document, past = ui.view.document, run_of(ui.session)
    if ui.focused is not ui.source or document is None:
        return frozenset()
    if (pointed := ui.source.names.pointed) is not None:
        found = past.questions.functions_named(pointed.expression.rpartition(".")[2])
        if found:
            return found
    line = ui.source.cursor_line
    named = function_at("\n".join(document.lines), line)
    if named is None:
        return frozenset()
    return functions_in(past.timeline, document.key, named.name, line)


# Conditions


def show_first_time(ui: Context) -> None:
    """Ask for an expression, and go to where it became true; again: to the next time."""
    _ask_condition(ui, "When did it become true", "the first time, or the next", _show_first_time)


def show_last_time(ui: Context) -> None:
    """Do the same backwards from the selected moment."""
    _ask_condition(ui, "When did it last become true", "backwards from here", _show_last_time)


def _ask_condition(
    ui: Context,
    label: str,
    hint: str,
    ask: Callable[[Context, str], Coroutine[Any, Any, None]],
) -> None:
    from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

    if not has_past(ui):
        return
    asked = ui.view.past.conditions
    offered = expression_at(ui)
    if _is_answer(ui) or not offered:
        offered = asked[-1] if asked else offered

    def take(text: str | None) -> None:
        if text is not None and text.strip():
            ui.run_command(ask, ui, text.strip())

    prompt = PromptDialog(
        label,
        hint=f"{hint}: as total > 100",
        value=offered,
        history=asked,
        on_submit=_why_not,
        is_begun=bool(offered) and not _is_answer(ui),
    )
    ui.app.push_screen(prompt, take)


def _why_not(text: str) -> str:
    """Return why it can't be evaluated; empty if it can."""
    from tuidbg.recording.expressions.expression import Expression
    from tuidbg.recording.expressions.reader import NotKnown

    try:
        Expression(text)
    except NotKnown as error:
        return str(error)
    return ""


def _is_answer(ui: Context) -> bool:
    """Return whether the answer to the last condition is shown."""
    past = ui.view.past
    return past.answer is not None and past.answer == past.moment


async def _show_first_time(ui: Context, text: str) -> None:
    goes_on = _is_answer(ui) and ui.view.past.conditions[-1:] == [text]
    moment = await looked_at(ui)
    past = run_of(ui.session)
    codes = past.functions_of(past.frame_at(moment, ui.view.frame))
    after = moment.when if goes_on else 0
    question = past.tables.first_time(text, codes, after)
    found = await _asked(ui, text, question)
    if found is None:
        again = "does not become true again" if goes_on else "was never true"
        _tell_none(ui, text, again, codes)
    else:
        _show_answer(ui, text, found)


async def _show_last_time(ui: Context, text: str) -> None:
    moment = await looked_at(ui)
    past = run_of(ui.session)
    codes = past.functions_of(past.frame_at(moment, ui.view.frame))
    found = await _asked(ui, text, past.tables.last_time(text, codes, moment.when))
    if found is None:
        _tell_none(ui, text, "did not become true before", codes)
    else:
        _show_answer(ui, text, found)


async def _asked(
    ui: Context, text: str, question: Coroutine[Any, Any, BecameTrue | None]
) -> BecameTrue | None:
    """Return the answer; keep the expression for the next time."""
    known = ui.view.past.conditions
    if text in known:
        known.remove(text)
    known.append(text)
    return await seek(ui, question, f"when {visible(text, _LONGEST)} became true")


def _tell_none(ui: Context, text: str, words: str, codes: frozenset[int]) -> None:
    names = sorted({run_of(ui.session).timeline.codes[each].name for each in codes})
    where = f" in {names[0]}" if names else ""
    shown = visible(text, _LONGEST)
    ui.status.show_hint(f"{shown} {words}{where}, as far as it was recorded", "warning")


def _show_answer(ui: Context, text: str, found: BecameTrue) -> None:
    from tuidbg.tui.panes.view.recorded_steps import place_of

    past = ui.view.past
    past.show(found.spot.moment)
    past.answer = found.spot.moment
    by = found.made_by(place_of, "as the call begins")
    ui.status.show_hint(f"{visible(text, _LONGEST)} becomes true {by}")


# Two moments


def mark_moment(ui: Context) -> None:
    """Mark the selected moment; at another moment, show the differences from the marked one."""
    if has_past(ui):
        ui.run_command(_mark_moment, ui)


async def _mark_moment(ui: Context) -> None:
    from tuidbg.tui.features.recorded_run.dialog import table_of_differences

    past = ui.view.past
    moment, marked = await looked_at(ui), past.marked
    key = ui.key_map.tell("mark_moment", "elsewhere shows the differences")
    if marked is not None and past.marked_in is not run_of(ui.session).timeline:
        marked = None
    if marked is None:
        past.marked, past.marked_in = moment, run_of(ui.session).timeline
        ui.status.show_hint(f"this moment is marked{key}")
    elif marked == moment:
        past.marked = None
        ui.status.show_hint("this moment is not marked any more")
    else:
        question = run_of(ui.session).tables.differences(marked, moment)
        found = await seek(ui, question, "what differs")
        _open(ui, table_of_differences(found))


def compare_runs(ui: Context) -> None:
    """Go to where this run diverges from the previous recorded run."""
    if has_past(ui):
        ui.run_command(_compare_runs, ui)


async def _compare_runs(ui: Context) -> None:
    past = run_of(ui.session)
    await looked_at(ui)
    found = await seek(ui, past.tables.parting(past.before), "where the two runs part")
    if found is None:
        ui.status.show_hint("the two runs do the same, as far as both were recorded")
        return
    ui.view.past.show(found.spot.moment)
    ui.status.show_hint(visible(found.words, 200))
