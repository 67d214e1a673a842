"""The commands of the watches: add one, edit it, take it away, pin a variable."""

from __future__ import annotations

from textual import on

from tuidbg.session.errors import DebuggerError
from tuidbg.session.state import Status, Watch
from tuidbg.session.values.watches import check_expression
from tuidbg.tui.variables.commands import VariablesCommands
from tuidbg.tui.variables.pane import VariablesPane
from tuidbg.tui.variables.tree import WATCHES
from tuidbg.tui.widgets.rows import visible

_RISK = "it runs at every stop, with all that it does"


class WatchCommands(VariablesCommands, is_part=True):
    """Adds the watches' commands to the screen."""

    def command_add_watch(self) -> None:
        from tuidbg.tui.dialogs.prompt import PromptDialog

        def take(text: str | None) -> None:
            if text is not None:
                self._add_watch(text)

        offered = self._offered_expression()
        prompt = PromptDialog(
            "Watch", hint=_RISK, value=offered, on_change=self._check, on_submit=self._refuse
        )
        self.app.push_screen(prompt, take)

    def _refuse(self, text: str) -> str:
        return check_expression(text, self.session.profile.language)

    def _check(self, text: str) -> str:
        return (self._refuse(text) if text.strip() else "") or _RISK

    def _add_watch(self, expression: str, *, pinned: bool = False) -> None:
        watches = self.session.watches
        known = watches.find(expression)
        try:
            watch = watches.add(expression, pinned=pinned, origin="tui")
        except DebuggerError as error:
            self.status.show_hint(str(error), "error")
            return
        if known is not None:
            self.status.show_hint(f"{visible(watch.expression, 60)} is watched already")
        elif self.session.status is not Status.PAUSED:
            self.status.show_hint("its value is shown at the next stop")

    def _offered_expression(self) -> str:
        """That of the variable or the name that the person looks at."""
        if self.focused is self.variables:
            found = self.variables.cursor_variable
            if found is not None and found[0][0] != WATCHES:
                return found[1].evaluate_name
        if self.focused is self.source and (pointed := self.source.pointed_name) is not None:
            return pointed.expression
        return ""

    def command_edit_watch(self) -> None:
        from tuidbg.tui.dialogs.prompt import PromptDialog

        watch = self._watch_at_cursor()
        if watch is None:
            self._show_no_watch()
            return

        def check(text: str) -> str:
            return "Enter deletes it" if not text.strip() else self._check(text)

        def submit(text: str) -> str:
            return self._refuse(text) if text.strip() else ""

        def take(text: str | None) -> None:
            if text is not None and text.strip():
                self._change_watch(watch.number, text)
            elif text is not None:
                self._change_watch(watch.number)

        prompt = PromptDialog(
            "Watch", hint=_RISK, value=watch.expression, on_change=check, on_submit=submit
        )
        self.app.push_screen(prompt, take)

    def _change_watch(self, number: int, expression: str = "") -> None:
        try:
            if expression:
                self.session.watches.update(number, expression, origin="tui")
            else:
                self.run_command(self._ignore_changes, self.session.watches.get(number).expression)
                self.session.watches.remove(number, origin="tui")
        except DebuggerError as error:  # another front end was faster
            self.status.show_hint(str(error), "warning")

    async def _ignore_changes(self, expression: str) -> None:
        """Without its row nobody would know why the program stops."""
        if self.session.status is Status.PAUSED:
            await self.session.changes.ignore(expression)

    def command_delete_watch(self) -> None:
        watch = self._watch_at_cursor()
        if watch is None:
            self._show_no_watch()
        else:
            self._change_watch(watch.number)

    def command_display_variable(self) -> None:
        """The same key takes a watch away."""
        if self.focused is self.variables and self._watch_at_cursor() is not None:
            self.command_delete_watch()
        else:
            super().command_display_variable()

    def command_pin_variable(self) -> None:
        found = self.variables.cursor_variable
        if (watch := self._watch_at_cursor()) is not None and watch.pinned:
            self._change_watch(watch.number)
        elif found is None or found[0][0] == WATCHES:
            self.status.show_hint("put the cursor on a variable in the variables pane", "warning")
        elif not found[1].evaluate_name:
            name = visible(found[1].name, 60)
            self.status.show_hint(f"no expression leads to {name} again", "warning")
        else:
            self._add_watch(found[1].evaluate_name, pinned=True)

    def command_break_on_change(self) -> None:
        watch = self._watch_at_cursor()
        expression = watch.expression if watch is not None else self._offered_expression()
        if expression:
            self.run_command(self._break_on_change, expression)
        else:
            self.status.show_hint("put the cursor on a variable in the variables pane", "warning")

    async def _break_on_change(self, expression: str) -> None:
        changes, frame = self.session.changes, self.view.frame
        name = visible(expression, 60)
        laid = self.session.breakpoints.registry.find_data(expression)
        if laid is not None:
            await self.session.breakpoints.remove(laid.number, origin="tui")
            self.status.show_hint(f"{name} may change without a stop again")
            return
        if changes.find(expression) is not None:
            await changes.ignore(expression)
            self.status.show_hint(f"{name} may change without a stop again")
        elif frame is not None:
            found = await changes.watch(expression, frame.id, origin="tui")
            if found is None:
                self.status.show_hint(f"stops when {name} changes")
                return
            if self.session.watches.find(expression) is None:
                self.session.watches.add(expression, pinned=True, origin="tui")
            self.status.show_hint(visible(found.limits))
        self.view.refresh_watches()

    def command_break_on_access(self) -> None:
        from tuidbg.session.state import DataAccess
        from tuidbg.tui.dialogs.choice import Choice, ChoiceDialog

        watch = self._watch_at_cursor()
        expression = watch.expression if watch is not None else self._offered_expression()
        if not self.session.capabilities.supports_data_breakpoints:
            words = "this debug adapter can't watch values for reads"
            self.status.show_hint(f"Stop when it is read: {words}", "warning")
            return
        if not expression:
            self.status.show_hint("put the cursor on a variable in the variables pane", "warning")
            return
        ways = {"r": DataAccess.READ, "w": DataAccess.WRITE, "e": DataAccess.READ_WRITE}
        choices = [Choice("r", "read"), Choice("w", "written"), Choice("e", "either")]

        def take(letter: str | None) -> None:
            if letter is not None:
                set_data = self.session.breakpoints.set_data
                self.run_command(set_data, expression, access=ways[letter], origin="tui")

        self.app.push_screen(ChoiceDialog(f"Stop when {expression} is", choices), take)

    def _watch_at_cursor(self) -> Watch | None:
        key = self.variables.cursor_key
        if isinstance(key, tuple) and len(key) > 1 and key[0] == WATCHES:
            return self.session.watches.find(str(key[1]))
        return None

    def _show_no_watch(self) -> None:
        way = self.key_map.tell("add_watch", "adds one")
        self.status.show_hint(f"put the cursor on a watch in the variables pane{way}")

    @on(VariablesPane.WatchChosen)
    def _watch_chosen(self, event: VariablesPane.WatchChosen) -> None:
        """One without anything in it: work it out where it is slow, else edit it."""
        watch = self.session.watches.find(event.expression)
        if watch is None:
            return
        if event.is_slow:
            self.view.refresh_watches(asked=watch.number)
        else:
            self.command_edit_watch()
