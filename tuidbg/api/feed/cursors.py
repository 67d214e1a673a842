"""Opaque cursors: where a reader of a session's output or events has come to."""

from __future__ import annotations

import base64
import binascii
import re

import msgspec

from tuidbg.session.errors import InvalidCursor

_LONGEST = 1_000
"""Characters; a cursor of ours has about a hundred."""

_BASE64 = re.compile(r"[A-Za-z0-9_-]+=*")


class _Cursor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    session: str
    stream: str
    after: int


def encode_cursor(session_id: str, stream: str, position: int) -> str:
    """A text that stands for a position in a stream of a session; safe in addresses."""
    content = msgspec.json.encode(_Cursor(session_id, stream, position))
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def decode_cursor(cursor: str, session_id: str, stream: str) -> int:
    """The position that a cursor stands for.

    Raises InvalidCursor for anything that is none, and for one of another session or stream.
    """
    if len(cursor) > _LONGEST or not _BASE64.fullmatch(cursor):
        raise InvalidCursor(f"this is no cursor of the {stream}")
    padded = cursor.rstrip("=")
    padded += "=" * (-len(padded) % 4)
    try:
        content = base64.b64decode(padded, altchars=b"-_")
        found = msgspec.json.decode(content, type=_Cursor)
    except (binascii.Error, ValueError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InvalidCursor(f"this is no cursor of the {stream}") from error
    if found.session != session_id:
        raise InvalidCursor("this cursor belongs to another session")
    if found.stream != stream:
        raise InvalidCursor(f"this cursor is not one of the {stream}")
    if found.after < 0:
        raise InvalidCursor(f"this is no cursor of the {stream}")
    return found.after
