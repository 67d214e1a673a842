"""Keeps what the environment says to Python away from tuidbg, for the debugged program.

With ``PYTHONINSPECT`` tuidbg would end in a prompt, with ``PYTHONVERBOSE`` Python would write into
the picture, with ``PYTHONWARNINGS=error`` a library's warning would end it. Python reads them
before any of our code, so tuidbg starts once more without them and has them again for what it
starts itself. Without one of them, that is nearly always, nothing is done.

``PYTHONASYNCIODEBUG`` is read each time a loop is made, so all of ours run with ``debug=False``: on
a busy machine asyncio would write of slow steps into the picture.

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
"""Before the name of a variable that this very process was started without."""


def keep_for_program() -> None:
    """Start again without the variables that change Python; afterwards they are there again."""
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
        pass  # then so; it does work with most of them
