"""The Pythons of this machine, found when the tests are collected.

``TUIDBG_PYTHONS`` adds some that are nowhere else, with ``:`` between their paths.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tuidbg.adapters.debugpy.sources.examine import OLDEST_PYTHON

Version = tuple[int, int]

_ASK = "import sys; print('%d %d %s' % (sys.version_info[0], sys.version_info[1], sys.executable))"


@functools.cache
def find_interpreters() -> dict[Version, str]:
    """One interpreter for each version of Python there is, the running one among them."""
    found = {sys.version_info[:2]: sys.executable}
    for candidate in _candidates():
        asked = subprocess.run([candidate, "-c", _ASK], capture_output=True, text=True, check=False)
        words = asked.stdout.split(maxsplit=2)
        if asked.returncode == 0 and len(words) == 3:
            found.setdefault((int(words[0]), int(words[1])), words[2].strip())
    return dict(sorted(found.items()))


def _candidates() -> list[str]:
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    candidates = [each for each in os.environ.get("TUIDBG_PYTHONS", "").split(":") if each]
    candidates += [str(path) for path in sorted(pyenv.glob("versions/*/bin/python"))]
    for name in ("python2.7", *(f"python3.{minor}" for minor in range(6, 16))):
        path = shutil.which(name)
        if path is not None and not path.startswith(str(pyenv)):
            candidates.append(path)
    return candidates


SUPPORTED = {v: path for v, path in find_interpreters().items() if v >= OLDEST_PYTHON}
"""Those that debugpy can debug."""

TOO_OLD = {v: path for v, path in find_interpreters().items() if v < OLDEST_PYTHON}
"""Those that it can't."""


def name_of(version: Version) -> str:
    """For test ids."""
    return "python{}.{}".format(*version)
