"""The commands of the variables pane: set, copy, read, display, search, go to, filter.

Each acts on the variable under the pane's cursor, wherever the focus is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from textual import on

from tuidbg.session.errors import DebuggerError, EvaluationFailed
from tuidbg.session.state import Variable
from tuidbg.tui.pane_screen import PaneScreen
from tuidbg.tui.variables.pane import VariablesPane
from tuidbg.tui.variables.search import VariableSearch
from tuidbg.tui.variables.tree import Path

if TYPE_CHECKING:
    from tuidbg.session.values.types import Display, FullText
    from tuidbg.tui.dialogs.choice import Choice
    from tuidbg.tui.variables.set_value import SetValueDialog


class VariablesCommands(PaneScreen, is_part=True):
    """Adds the variables' commands to the screen."""

    _variable_search: VariableSearch | None = None

    def _at_variable(self) -> tuple[Path, Variable] | None:
        """The variable under the cursor; without one a hint says so."""
        found = self.variables.cursor_variable
        if found is None:
            self._show_no_variable()
        return found

    def _show_no_variable(self) -> None:
        way = self.key_map.tell("focus_variables", "goes there")
        self.status.show_hint(f"no variable at the cursor of the variables pane{way}", "warning")

    # Values that were put off

    @on(VariablesPane.Loaded)
    def _value_wanted(self, event: VariablesPane.Loaded) -> None:
        self.status.show_hint(f"working out {event.variable.name}…")
        self.run_in_background("value", self._load_value, event.path, event.variable)

    async def _load_value(self, path: Path, variable: Variable) -> None:
        try:
            loaded = await self.session.values.load(variable)
        except EvaluationFailed:
            await self.view.refresh_variables()  # it stands in its row from now on
            raise
        self.variables.set_variable(path, loaded)
        self.status.clear_hint()

    # Set and undo

    def command_set_variable(self) -> None:
        from tuidbg.tui.variables.set_value import SetValueDialog

        if (found := self._at_variable()) is None:
            return
        if not found[1].handle:
            self.status.show_hint(f"{found[1].name} can't be set", "warning")
            return

        def submit(dialog: SetValueDialog, text: str) -> None:
            self.run_command(self._set_value, dialog, found[1], text)

        self.app.push_screen(SetValueDialog(found[1], submit, self._undo_words))

    @property
    def _undo_words(self) -> str:
        """The key that takes a set value back, and for how long; nothing where there is none."""
        return self.key_map.tell("undo_change", "takes it back until the program goes on")

    async def _set_value(self, dialog: SetValueDialog, variable: Variable, text: str) -> None:
        try:
            change = await self.session.values.changes.set(variable, text)
        except DebuggerError as error:
            dialog.refuse(str(error))
            return
        dialog.dismiss()
        self.status.show_hint(f"{variable.name} is {change.after.value[:200]}{self._undo_words}")
        await self.view.refresh_variables()

    def command_undo_change(self) -> None:
        self.run_command(self._undo_change)

    async def _undo_change(self) -> None:
        change = await self.session.values.changes.undo()
        if change is None:
            words = "no value was set at this stop; those of earlier ones can't be taken back"
            self.status.show_hint(words, "warning")
            return
        self.status.show_hint(f"{change.after.name} is {change.after.value[:200]} again")
        await self.view.refresh_variables()

    # Copy

    def command_copy_value(self) -> None:
        from tuidbg.tui.dialogs.choice import Choice, ChoiceDialog

        if (found := self._at_variable()) is None:
            return
        _, variable = found
        choices = [Choice("v", "the value")]
        if self.session.values.is_inside:
            choices.append(Choice("j", "the value as JSON"))
        if variable.evaluate_name:
            choices.insert(1, Choice("e", "the expression", variable.evaluate_name))

        def take(letter: str | None) -> None:
            if letter is not None:
                self.run_in_background("copy", self._copy_variable, variable, letter)

        self.app.push_screen(ChoiceDialog(f"Copy {variable.name}", choices), take)

    async def _copy_variable(self, variable: Variable, what: str) -> None:
        contents, note = self.session.values.contents, ""
        if what == "e":
            text = variable.evaluate_name
        elif what == "j":
            found = await contents.as_json(variable)
            text, note = found.text, "" if found.is_whole else " (its beginning only)"
        else:
            full = await contents.full(variable)
            text = full.text
            note = "" if len(text) >= full.total else f" (of {full.total:,})"
        await self.copy(text, note)

    async def copy(self, text: str, note: str = "") -> None:
        """Put a text on the clipboard and say so, or why not."""
        from tuidbg.tui.drivers.clipboard import TooLong, copy_text, environment_of

        try:
            where = await copy_text(text, self.app.copy_to_clipboard, environment_of(self.app))
        except TooLong as error:
            self.status.show_hint(str(error), "warning")
            return
        by = f" by {where}" if where else ""
        self.status.show_hint(f"copied {len(text):,} characters{note}{by}")

    # All of it

    def command_show_value(self) -> None:
        from tuidbg.tui.dialogs.pager import PagerDialog

        if (found := self._at_variable()) is None:
            return
        _, variable = found
        if not variable.handle:
            self._show_no_variable()
            return

        async def fetch(how: str) -> FullText:
            return await self.session.values.contents.full(variable, how)

        name = variable.evaluate_name or variable.name

        def copy(text: str) -> None:
            self.run_in_background("copy", self.copy, text)

        self.app.push_screen(PagerDialog(name, variable.type or "property", fetch, copy))

    # Display

    def command_display_variable(self) -> None:
        from tuidbg.session.values.types import Display
        from tuidbg.tui.dialogs.prompt import PromptDialog

        values = self.session.values
        if values.can_be_hexadecimal:
            self.run_command(self._switch_hexadecimal)
            return
        if why := values.why_no_display():
            self.status.show_hint(f"Display the variable: {why}", "warning")
            return
        if (found := self._at_variable()) is None:
            return
        _, variable = found
        now = values.displays.get(variable.evaluate_name)

        def take(text: str | None) -> None:
            if text is not None:
                display = Display.read(text) if text.strip() else None
                self.run_command(self._display_variable, *found, display)

        prompt = PromptDialog(
            f"Display {variable.name[:40]} as",
            hint="repr, str, type, len, an expression with {} for it · empty: as at first",
            value=str(now) if now is not None else "",
        )
        self.app.push_screen(prompt, take)

    async def _switch_hexadecimal(self) -> None:
        """Where the adapter can't show single values otherwise, but all numbers."""
        values = self.session.values
        values.set_hexadecimal(not values.in_hexadecimal)
        how = "in hexadecimal" if values.in_hexadecimal else "as usual again"
        self.status.show_hint(f"numbers are shown {how}")
        await self.view.refresh_variables()
        self.view.refresh_watches()

    async def _display_variable(
        self, path: Path, variable: Variable, display: Display | None
    ) -> None:
        self.session.values.set_display(variable, display)
        self.variables.changes.forget_value(self.variables.call, path)
        await self.view.refresh_variables()

    # Filter and sort

    def command_filter_variables(self) -> None:
        from tuidbg.tui.dialogs.choice import ChoiceDialog

        self.app.push_screen(
            ChoiceDialog(
                "Variables", self._variable_filters(), on_choice=self._switch_variable_filter
            )
        )

    def _variable_filters(self) -> list[Choice]:
        from tuidbg.tui.dialogs.choice import Choice

        options = self.variables.options
        words = {True: "shown", False: "hidden"}
        return [
            Choice("p", "private names (_x, __x__)", words[options.private]),
            Choice("c", "functions and classes", words[options.callables]),
            Choice("m", "modules", words[options.modules]),
            Choice("t", "all types", words[options.types]),
            Choice("o", "order", f"by {options.order}" if options.order else "as they are"),
        ]

    def _switch_variable_filter(self, letter: str) -> list[Choice]:
        from tuidbg.tui.variables.tree import ORDERS

        options = self.variables.options
        name = {"p": "private", "c": "callables", "m": "modules", "t": "types"}.get(letter)
        if name is not None:
            options = msgspec.structs.replace(options, **{name: not getattr(options, name)})
        else:
            order = ORDERS[(ORDERS.index(options.order) + 1) % len(ORDERS)]
            options = msgspec.structs.replace(options, order=order)
        self.variables.options = options
        title = self.body.titles["variables"]
        title.hint = options.words
        self.run_in_background("variables", self.view.refresh_variables)
        return self._variable_filters()

    # Search and go to

    def search_variables(self) -> None:
        """Search names and values: of what is there at once, of all pages at Enter."""
        from tuidbg.tui.dialogs.prompt import PromptDialog

        search = self._variable_search = VariableSearch(self.variables)

        def note(text: str) -> str:
            count = search.begin(text)
            return f"{count:,} here · Enter: in all pages too" if text else ""

        def take(text: str | None) -> None:
            if not text:
                search.leave()
            else:
                self.run_in_background("search", self._search_all, search)

        self.app.push_screen(PromptDialog("Find", hint="name or value", on_change=note), take)

    async def _search_all(self, search: VariableSearch) -> None:
        """What was searched of large collections, and how many matches there are."""
        notes = []
        for path, variable in search.unseen():
            self.status.show_hint(f"searching {variable.name}…")
            try:
                found = await self.session.values.contents.find(variable, search.text)
            except EvaluationFailed as error:
                notes.append(f"{variable.name}: {error}")
                continue
            search.add(path, found)
            notes.append(f"{variable.name}: {found.seen:,} of {found.total:,} searched")
        search.go(1, first=True)
        self.status.show_hint(" · ".join([search.words, *notes]))

    def next_variable(self, by: int) -> None:
        """Go to the next or the previous match, into pages that are not shown yet too."""
        search = self._variable_search
        if search is None or not search.text:
            way = self.key_map.tell("search", "searches")
            self.status.show_hint(f"nothing has been searched here yet{way}", "warning")
        else:
            search.go(by)
            self.status.show_hint(search.words)

    @on(VariablesPane.SearchLeft)
    def _search_left(self) -> None:
        if self._variable_search is not None:
            self._variable_search.leave()
            self.status.clear_hint()

    def go_to_item(self) -> None:
        """Ask for an index or a key of the collection under the cursor, and go there."""
        from tuidbg.tui.dialogs.prompt import PromptDialog

        found = self.variables.cursor_container
        if found is None or found[1].is_scope:
            way = self.key_map.tell("go_to_line", "goes to an index or a key in it")
            self.status.show_hint(f"open a collection first{way}")
            return
        path, node = found

        def take(text: str | None) -> None:
            if text and text.strip():
                self.run_command(self._go_to_item, path, node.variable, text.strip())

        name = node.variable.name[:40]
        self.app.push_screen(PromptDialog(f"Go to in {name}", hint="an index or a key"), take)

    async def _go_to_item(self, path: Path, variable: Variable, key: str) -> None:
        position, name = await self.session.values.contents.position(variable, key)
        self.variables.reveal(path, position, name)
