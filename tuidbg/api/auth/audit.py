"""Writes down who ran code: each evaluate and each launch or attach is a line of JSON.

The file is only added to, and only its owner reads it. What stands behind a secret's name in a call
(``password=...``) is not written.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from tuidbg.api.auth.callers import Caller, Scope
from tuidbg.api.operations.views import make_time
from tuidbg.session import redaction
from tuidbg.session.errors import DebuggerError

_LONGEST = 8_000
"""Characters that are kept of a call."""


class AuditNotWritten(DebuggerError):
    """Says that something can't be written down; then it is not done."""


class Audit:
    """The log of this process."""

    def __init__(self, path: Path) -> None:
        """Raises OSError."""
        self.path = path
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._file = os.open(path, flags, 0o600)
        os.fchmod(self._file, 0o600)

    @classmethod
    def in_state_folder(cls) -> Audit:
        """The user's own. Raises OSError, RuntimeError where there is no home."""
        import platformdirs

        return cls(Path(platformdirs.user_state_dir("tuidbg")) / "audit.log")

    def write(self, caller: Caller, scope: Scope, action: str, session_id: str, what: str) -> None:
        """Write one line, as a whole. Raises AuditNotWritten."""
        cut = what if len(what) <= _LONGEST else f"{what[:_LONGEST]}… ({len(what)} characters)"
        line = {
            "time": make_time(time.time()),
            "actor": caller.actor,
            "origin": caller.origin,
            "scope": scope,
            "action": action,
            "session": session_id,
            "what": redaction.text(cut),
        }
        try:
            os.write(self._file, json.dumps(line).encode() + b"\n")
        except OSError as error:
            raise AuditNotWritten(
                f"can't {action}: the audit log can't be written: {error.strerror}"
            ) from None

    def close(self) -> None:
        """Write no more."""
        os.close(self._file)
