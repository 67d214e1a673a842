"""The probe: decides at breakpoints inside the debugged program (``probe.py`` is tuidbg's side).

The files are the parts of one module, executed there in the order of ``PARTS`` in one namespace: a
program that lists its modules sees one, and a hit finds all names in it without a detour.
"""

PARTS = ("start", "hits", "templates", "telling", "exceptions", "hooks")
