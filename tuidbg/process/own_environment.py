"""Python's environment variables, hidden from tuidbg but kept for the debugged program.

With ``PYTHONINSPECT`` tuidbg would end in a prompt, with ``PYTHONVERBOSE`` Python would write onto
the screen, with ``PYTHONWARNINGS=error`` a library's warning would end it. Python reads them before
any of our code, so tuidbg restarts once without them and restores them for the processes it starts.
Without any of them, nearly always, nothing is done.

``PYTHONASYNCIODEBUG`` is read each time a loop is made, so all of ours run with ``debug=False``: on
a busy machine asyncio would write about slow steps onto the screen.

Only light modules are imported here: this runs before everything else, at every start.
"""

from __future__ import annotations

import os
import sys

_FOR_THE_PROGRAM = (
    "PYTHONASYNCIODEBUG",
    "PYTHONDEBUG",
    "PYTHONDEVMODE",
    "PYTHONDUMPREFS",
    "PYTHONDUMPREFSFILE",
    "PYTHONINSPECT",
    "PYTHONMALLOCSTATS",
    "PYTHONOPTIMIZE",
    "PYTHONPROFILEIMPORTTIME",
    "PYTHONTRACEMALLOC",
    "PYTHONVERBOSE",
    "PYTHONWARNDEFAULTENCODING",
    "PYTHONWARNINGS",
)

_ASIDE = "TUIDBG_ASIDE_"
"""Prefix of a variable that this process was started without."""


def keep_for_program() -> None:
    """Restart without the variables that change Python; afterwards they are restored."""
    aside = [name for name in os.environ if name.startswith(_ASIDE)]
    if aside:
        for name in aside:
            os.environ[name.removeprefix(_ASIDE)] = os.environ.pop(name)
        return
    found = [name for name in _FOR_THE_PROGRAM if os.environ.get(name)]
    if not found or sys.flags.ignore_environment or not sys.executable:
        return
    environment = dict(os.environ)
    for name in found:
        environment[_ASIDE + name] = environment.pop(name)
    try:
        os.execve(sys.executable, sys.orig_argv, environment)
    except OSError:
        pass  # then with them; most of them are harmless
