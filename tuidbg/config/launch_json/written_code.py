"""Programs that launch.json holds as text (``code``), written to files: so they can be seen."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from tuidbg.config.folders import user_folder
from tuidbg.config.regular_file import read_file


class CodeNotWritten(Exception):
    """The file can't be written; ``str()`` is a sentence without its full stop."""


def write_code(code: str) -> Path:
    """The file of a program; the same for the same text. Raises CodeNotWritten."""
    data = code.encode("utf-8", "surrogateescape")
    try:
        folder = user_folder("cache") / "code"
        file = folder / f"code-{hashlib.blake2b(data, digest_size=6).hexdigest()}.py"
        if file.exists() and read_file(file) == data:
            return file
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, prefix=".code")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(name).replace(file)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CodeNotWritten(
            f'"code" can\'t be written to a file: {error.strerror or error}'
        ) from None
    return file
