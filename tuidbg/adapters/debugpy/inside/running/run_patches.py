"""Runs the parts that patch pydevd in one namespace (``FILES``); no error leaves.

The first parts are the table and the registry, which applies each patch alone. The namespace is
pydevd's attribute ``_tuidbg_mends``: no module that the program can see. A forked child has another
debugger, and is patched again.
"""

import sys


def run(pydevd, files, sends_at_once):
    db = pydevd.get_global_debugger()
    if getattr(getattr(pydevd, "_tuidbg_mends", None), "DB", None) is db:
        return
    space = type(sys)("_tuidbg_mends")
    space.DB, space.SENDS_AT_ONCE = db, sends_at_once
    pydevd._tuidbg_mends = space
    for part, file in files.items():
        try:
            exec(code_of(part, *file), space.__dict__)  # noqa: F821
        except Exception as error:
            space.FAILED["all of " + part] = "%s: %s" % (type(error).__name__, error)
        if part == "registry":
            space.register(space.TABLE)


run(sys.modules["pydevd"], FILES, SENDS_AT_ONCE)  # noqa: F821 (what tuidbg puts there)
