"""Where a line of code has gone: a breakpoint belongs to a statement, not to a line number.

Files change while nobody looks: somebody edits, formats or checks out another branch. An anchor
holds what tells one statement from all others of its file: its code, its neighbours, what it is
in, and which of its equals it is. With that it is found again, or it is lost; where two places are
as likely, it is lost too, because a breakpoint on another statement is worse than none.

Everything here is a pure function of a text.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from tuidbg.session.anchor_search import (
    CONTEXT,
    Candidate,
    abridge,
    is_same_code,
    judge,
    rank_similar,
)
from tuidbg.session.statements import Statements, names_of, split_lines
