"""Every setting in one table: what it does, how it is written, and the command that changes it."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Home(Enum):
    """Where a setting can be set for good."""

    BOTH = "your config.toml, or the project's pyproject.toml"
    PERSON = "your config.toml"
    PROJECT = "the project's pyproject.toml"
    REMEMBERED = "remembered between runs"
    ENVIRONMENT = "the environment"


class Setting(NamedTuple):
    """One setting.

    ``example`` is its line in a file, or what to type in a shell; ``option`` is that of the command
    line; ``command`` changes it while tuidbg runs, and ``verb`` says so in the key bar.
    """

    name: str
    about: str
    home: Home
    example: str = ""
    option: str = ""
    command: str = ""
    verb: str = "change"


# One row a setting, as wide as it may be: it is read as a table.
# fmt: off
SETTINGS = (
    Setting("theme", "Colours of the screen.", Home.BOTH, 'theme = "light"', "--theme NAME",
            "choose_theme"),
    Setting("keys.map", "Key map: default, pdb, vscode or vim.", Home.PERSON, 'map = "vim"',
            "--keys NAME", "choose_key_map"),
    Setting("keys", "Keys of your own for single commands.", Home.PERSON,
            'step_over = ["n", "Ctrl+N"]'),
    Setting("console", "Input and output of the program: terminal (its own) or internal.",
            Home.BOTH, 'console = "internal"', "--console internal"),
    Setting("stop_on_entry", "Stop at the first line of the program.", Home.BOTH,
            "stop_on_entry = false", "--no-stop-on-entry"),
    Setting("just_my_code", "Pass over libraries while stepping.", Home.BOTH,
            "just_my_code = false", "--all-code", "toggle_just_my_code"),
    Setting("sub_process", "Debug the processes that the program starts, too.", Home.BOTH,
            "sub_process = false"),
    Setting("redirect_output", "Show output that does not pass the program's terminal.", Home.BOTH,
            "redirect_output = true"),
    Setting("django", "Breakpoints in the templates of Django.", Home.BOTH, "django = true"),
    Setting("jinja", "Breakpoints in the templates of Jinja.", Home.BOTH, "jinja = true"),
    Setting("cwd", "Working directory of the program.", Home.PROJECT, 'cwd = "src"', "--cwd DIR"),
    Setting("python", "Interpreter that runs the program.", Home.PERSON, 'python = "python3.13"',
            "--python PATH"),
    Setting("env", "Variables added to the program's environment.", Home.PERSON,
            'env = {DEBUG = "1"}', "--env NAME=VALUE"),
    Setting("adapters", "Debug adapters of your own for other languages.", Home.PERSON,
            'command = ["lua-dap"]', command="show_adapters", verb="list them"),
    Setting("layout", "Sizes of the panes, and which of them are shown.", Home.REMEMBERED,
            command="reset_layout", verb="reset"),
    Setting("follow_stops", "Show another process when it stops.", Home.REMEMBERED,
            command="follow_stops"),
    Setting("colors", "Colours that the terminal announces.", Home.ENVIRONMENT,
            "export COLORTERM=truecolor"),
    Setting("editor", "Editor that opens the line of the source.", Home.ENVIRONMENT,
            "export VISUAL=vim"),
)
# fmt: on
