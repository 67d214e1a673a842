"""The smallest Textual app with something to read on it: what Textual alone costs."""

from textual.app import App, ComposeResult
from textual.widgets import Static


class EmptyApp(App[None]):
    BINDINGS = [("n", "count", "Count")]

    def compose(self) -> ComposeResult:
        yield Static("FIRST LINE", id="label")

    def on_mount(self) -> None:
        self.count = 7_000_000

    def action_count(self) -> None:
        self.count += 1
        self.query_one("#label", Static).update(str(self.count))


if __name__ == "__main__":
    EmptyApp().run()
