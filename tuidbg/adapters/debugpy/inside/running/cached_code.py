"""The code of tuidbg's own files: their bytecode, as an import would use it, where there is one.

To compile them anew was a tenth of a program's start. This runs before whatever runs the files.
"""

import os
import sys


def code_of(name, path, size, changed, text):
    """``text`` is what tuidbg read from ``path``; in another machine or tree it is compiled."""
    shown = "<tuidbg %s>" % name
    try:
        found = os.stat(path)
        if (found.st_size, found.st_mtime_ns) == (size, changed):
            loader = sys.modules["_frozen_importlib_external"].SourceFileLoader(name, path)
            return _renamed(loader.get_code(name), shown)
    except Exception:
        pass  # the text is there
    return compile(text, shown, "exec", 0, True)


def _renamed(code, name):
    """pydevd and tracebacks know tuidbg's code by the name of its file."""
    constants = [_renamed(c, name) if isinstance(c, type(code)) else c for c in code.co_consts]
    return code.replace(co_filename=name, co_consts=tuple(constants))
