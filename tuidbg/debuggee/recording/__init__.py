"""Records what a program does, inside it, from Python 3.12 on.

The interpreter reports each line of the person's own code (``sys.monitoring``); what the line
before can have changed is read, and written down where it is another value. ``moment_stack`` reads
one moment alone. Nothing of pydevd is used, so that a program without a debugger is recorded, too.
"""

from __future__ import annotations
