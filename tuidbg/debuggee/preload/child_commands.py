"""The command lines of the Python children of a program: they begin with tuidbg's launcher."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


FILE, CODE, MODULE = "--file", "-c", "--module"


class CommandCode(object):
    """The code of ``python -c`` in a command line that pydevd composes."""

    def __init__(self, text: str) -> None:
        self.text = text


def lead_children(here: str) -> None:
    """Make pydevd start Python children by ``debugpy_launcher.py``."""
    from _pydev_bundle import pydev_monkey
    from _pydevd_bundle import pydevd_command_line_handling as command_line

    if os.name != "posix":
        return
    native = pydev_monkey.patch_args
    pydevd_file = command_line.get_pydevd_file()

    def patch_args(args: Any, is_exec: bool = False) -> Any:
        if here in args:
            return args
        words = native(args, is_exec)
        if words is args or words == args:
            return args
        for at, word in enumerate(words):
            if type(word) is CommandCode:
                setup = sys.modules["pydevd"].SetupHolder.setup
                setup = pydev_monkey._get_setup_updated_with_protocol_and_ppid(setup, is_exec)
                own = command_line.setup_to_argv(setup, skip_names={"module", "cmd-line"})
                flags = words[: at - 1] + [words[at - 1][:-1]] * (len(words[at - 1]) > 2)
                return [*flags, here, *own, FILE, CODE, word.text, *words[at + 1 :]]
        at = words.index(pydevd_file)
        return [*words[:at], here, *words[at:]]

    pydev_monkey.patch_args = patch_args
    pydev_monkey._get_python_c_args = lambda host, port, code, args, setup: CommandCode(code)
