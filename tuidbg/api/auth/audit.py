"""The audit log: a JSON line for each evaluation, launch and attach.

The file is append-only and readable only by its owner. The values of secret-named arguments
(``password=...``) are not written.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from tuidbg.api.auth.callers import Caller, TokenScope
from tuidbg.api.operations.views import make_time
from tuidbg.session.core import redaction
from tuidbg.session.model.errors import DebuggerError

_LONGEST = 8_000
"""Characters of a call that are kept."""


class AuditNotWritten(DebuggerError):
    """A failed write to the audit log; the call is then not made."""


class Audit:
    """The log of this process."""

    def __init__(self, path: Path) -> None:
        """Open the log. Raises OSError."""
        self.path = path
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._file = os.open(path, flags, 0o600)
        os.fchmod(self._file, 0o600)

    @classmethod
    def in_state_folder(cls) -> Audit:
        """Open the user's log. Raises OSError, or RuntimeError without a home folder."""
        import platformdirs

        return cls(Path(platformdirs.user_state_dir("tuidbg")) / "audit.log")

    def write(
        self, caller: Caller, scope: TokenScope, action: str, session_id: str, what: str
    ) -> None:
        """Write one line atomically. Raises AuditNotWritten."""
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
        os.close(self._file)
