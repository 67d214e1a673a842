"""Programs with a screen: windows, terminals, prompts."""

from __future__ import annotations

from tests.compatibility.row import row
from tests.compatibility.trial import Trial

GROUP = "Screens and prompts"

TKINTER = """
import tkinter
root = tkinter.Tk()
count = tkinter.IntVar(value=1)
def pressed():
    before = count.get()
    count.set(before + 1)  #: first
    root.after(10, root.destroy)  #: second
button = tkinter.Button(root, text="press", command=pressed)
button.pack()
root.after(50, button.invoke)
root.mainloop()
print("closed", count)
"""


def display(trial: Trial) -> None:
    """A display of its own, without a window manager."""
    number = 90 + trial.port % 900
    trial.begin("Xvfb", f":{number}", "-screen", "0", "640x480x24", "-nolisten", "tcp")
    trial.wait_for(f"/tmp/.X11-unix/X{number}")
    trial.changes["DISPLAY"] = f":{number}"


@row(
    "tkinter",
    group=GROUP,
    files={"main.py": TKINTER},
    words="{folder}/main.py",
    programs=["Xvfb"],
    build=display,
    works="callbacks stop and step.",
    fails="the window while its program is stopped: it is not repainted.",
)
async def tkinter(trial: Trial) -> None:
    await trial.start("first")
    session = await trial.until_stop("first")
    assert await trial.value(session, "before") == "1"
    assert await trial.step(session) == trial.place("second")[1]
    assert await trial.value(session, "count.get()") == "2"
    await trial.go_on(session)
    assert await trial.until_end() == 0


CURSES = """
import curses
def main(screen):
    screen.addstr(2, 4, "price?")
    screen.refresh()
    key = screen.getkey()
    screen.addstr(3, 4, "got " + key)  #: first
    screen.refresh()  #: second
    screen.getkey()
curses.wrapper(main)
"""


async def type_a_key(trial: Trial) -> None:
    """See the program's screen, type a key, stop, and step."""
    await trial.start("first")
    await trial.until(lambda: "price?" in trial.screen, "the program asks")
    trial.type("7")
    session = await trial.until_stop("first")
    assert await trial.value(session, "key") == "'7'"
    assert await trial.step(session) == trial.place("second")[1]


@row(
    "curses",
    group=GROUP,
    files={"main.py": CURSES},
    words="{folder}/main.py",
    on_terminal=True,
    works="the program has a terminal of its own, where it is shown and gets keys; a stop leaves it"
    " as it is.",
)
async def curses(trial: Trial) -> None:
    await type_a_key(trial)
    session = trial.session
    await trial.go_on(session)
    await trial.until(lambda: "got 7" in trial.screen, "it goes on")
    trial.type("q")
    assert await trial.until_end() == 0


TEXTUAL = """
from textual.app import App
from textual.widgets import Static
class Shop(App):
    def compose(self):
        yield Static("price?")
    def on_key(self, event):
        key = event.key
        self.query_one(Static).update(key)  #: first
        self.exit(key)  #: second
print("left by", Shop().run())
"""


@row(
    "Textual",
    group=GROUP,
    pins=["textual==8.2.8"],
    files={"main.py": TEXTUAL},
    words="{folder}/main.py",
    on_terminal=True,
    works="an app of Textual's runs in the program's terminal beside tuidbg's own screen; handlers"
    " stop and step.",
)
async def textual(trial: Trial) -> None:
    await type_a_key(trial)
    await trial.go_on(trial.session)
    assert await trial.until_end() == 0


PROMPT_TOOLKIT = """
from prompt_toolkit import prompt
from prompt_toolkit.validation import Validator
def check(key):
    fine = len(key) > 0
    return fine  #: first
checker = Validator.from_callable(check)
key = prompt("price? ", validator=checker, validate_while_typing=False)
print("got", key)  #: second
"""


@row(
    "prompt_toolkit",
    group=GROUP,
    pins=["prompt-toolkit==3.0.53"],
    files={"main.py": PROMPT_TOOLKIT},
    words="{folder}/main.py",
    on_terminal=True,
    works="prompts work in the program's terminal; validators and completers stop.",
)
async def prompt_toolkit(trial: Trial) -> None:
    await trial.start("first")
    await trial.until(lambda: "price?" in trial.screen, "the program asks")
    trial.type("7\r")
    session = await trial.until_stop("first")
    assert await trial.value(session, "key") == "'7'"
    await trial.clear()
    await trial.go_on(session)
    assert await trial.until_end() == 0


IPYTHON = """
import IPython
def work(number):
    doubled = number * 2  #: first
    return doubled  #: second
IPython.embed(colors="NoColor", confirm_exit=False)
"""


@row(
    "IPython.embed",
    group=GROUP,
    pins=["ipython==9.18.1"],
    files={"main.py": IPYTHON},
    words="{folder}/main.py",
    on_terminal=True,
    works="its prompt works in the program's terminal; functions of files that it calls stop.",
)
async def ipython(trial: Trial) -> None:
    await trial.start("first")
    await trial.until(lambda: "In [1]" in trial.screen, "IPython asks")
    trial.type("work(21)\r")
    session = await trial.until_stop("first")
    assert await trial.value(session, "number") == "21"
    assert await trial.step(session) == trial.place("second")[1]
    await trial.go_on(session)
    await trial.until(lambda: "42" in trial.screen, "IPython answers")
