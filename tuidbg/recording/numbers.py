"""The numbers and words that stand in a recording, as its writers and its readers know them."""

from __future__ import annotations

from typing import Any

Token = Any
"""A value as it was recorded: a number, a text, a truth value or nothing itself; all else a list.

``[number]`` is the object of that number, ``["t", [tokens]]`` items that never change,
``["s", beginning, length]`` a long text, ``["b", type, text]`` a value that can't change,
with its length where the text is that of its beginning,
``["o", type, number]`` an object that was not looked into, ``["-"]`` nothing that is there any
more, ``["~"]`` a value that was left out because there were too many, and ``["?"]`` one that is not
known, as the look at it failed.
"""

LINE, CALL, RETURN, YIELD, RAISE, UNWIND, RESUME = range(7)
"""The kinds of moments: a line that is about to run, or a call that begins, ends or waits."""

PARENT, LENGTH, ALL, RETURNED, RAISED, SPAN, BORN = range(7)
"""The keys of changes that no name and no item has.

Under ``SPAN`` stands a moment: what else changed of the owner at the same moment as that did so
somewhere between the two. At the moment that stands there all was as before. From a moment with
``BORN`` on the owner is another value, which took the address of one that was gone.
"""

FIRST_KEY = 16
INDEX = 1 << 32
"""The key of an item by its index is that and the index."""

UNBOUND: Token = ["-"]
UNKNOWN: Token = ["?"]
