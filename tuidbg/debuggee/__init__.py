"""All code of tuidbg that runs in a debugged Python program.

These are ordinary modules with ordinary imports of each other, of Python's library and of pydevd.
``bundle.py`` packs a module with those that it imports, and ``loader.py``
imports them there. They must run on Python 3.8, print nothing, and leave nothing in
``sys.modules``. Nothing happens when one is imported: what it changes in the program is done by its
function ``install``, which the loader calls once.
"""

from __future__ import annotations
