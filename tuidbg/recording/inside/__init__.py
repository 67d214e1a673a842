"""Records what a program does, inside it, from Python 3.12 on.

The interpreter tells of each line of the person's own code (``sys.monitoring``); what the line
before can have changed is looked at, and written down where it is another.

The files are the parts of one namespace, executed in the order of ``PARTS`` as no module that is
seen. They take nothing of tuidbg and nothing of pydevd, so that they also record where nobody
debugs.
"""

PARTS = (
    *("start", "columns", "kinds", "looks", "identity", "source", "plans", "effects", "variables"),
    *("checks", "calls", "events", "holding", "compiled", "install"),
)
"""Each is named ``<tuidbg PART>`` in the program."""

LOOKING = ("start", "columns", "kinds", "looks", "identity", "variables", "calls", "stack")
"""What looks at one moment only: it needs no ``sys.monitoring``."""
