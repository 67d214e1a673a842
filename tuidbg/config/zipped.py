"""Sources that lie in a zip: what Python imports from there, or runs as an application (``.pyz``).

Their paths go on where that of the zip ends, as Python has them: ``/src/tool.pyz/__main__.py``.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from tuidbg.config.regular_file import LARGEST_SOURCE

_SCRIPTS = (".py", ".pyw")


def is_archive(path: Path) -> bool:
    """True for an application in a zip, which Python runs by its ``__main__.py``."""
    if path.suffix in _SCRIPTS or not path.is_file():
        return False
    from zipfile import is_zipfile

    return is_zipfile(path)


def is_source(path: str) -> bool:
    """True where that is a file, or lies in a zip."""
    return os.path.isfile(path) or is_in_zip(path)  # noqa: PTH113 - a Path's fails on long names


def is_in_zip(path: str) -> bool:
    """True for a path that goes on in a zip, and names something there."""
    found = _split(path)
    if found is None:
        return False
    from zipfile import BadZipFile, ZipFile

    archive, name = found
    try:
        with ZipFile(archive) as opened:
            return name in opened.namelist()
    except (OSError, BadZipFile):
        return False


def archive_of(path: str) -> Path | None:
    """The zip in which a source lies; None for a file."""
    found = _split(path)
    return found[0] if found is not None else None


def read_zipped(path: str) -> bytes:
    """The bytes of a source in a zip. Raises OSError, for one of more than 64 MiB as well."""
    from zipfile import BadZipFile, ZipFile

    found = _split(path)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, "there is no such file", path)
    archive, name = found
    try:
        with ZipFile(archive) as opened:
            if opened.getinfo(name).file_size > LARGEST_SOURCE:
                raise OSError(errno.EFBIG, "it is too large", path)
            return opened.read(name)
    except KeyError:
        raise FileNotFoundError(errno.ENOENT, f"{archive.name} has no {name}", path) from None
    except (BadZipFile, NotImplementedError, RuntimeError) as error:
        raise OSError(errno.EINVAL, str(error), path) from None


def _split(path: str) -> tuple[Path, str] | None:
    """The zip and the name in it; None where the path goes through no file."""
    if not path.startswith("/"):
        return None
    for parent in Path(path).parents:
        if os.path.isfile(parent):  # noqa: PTH113
            return parent, path[len(str(parent)) + 1 :]
        if os.path.isdir(parent):  # noqa: PTH112
            break
    return None
