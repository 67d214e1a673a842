"""Tells where Python's functions are in a process, from its maps and its files' dynamic symbols.

These are there however a Python was built and stripped: extension modules need them.
"""

from __future__ import annotations

import struct
from pathlib import Path

from tuidbg.lines import split_lines

_PAGE = 4096
_DYNSYM, _LOAD = 11, 1
_X86_64 = 62


class NoSymbols(Exception):
    """A function is not to be found; ``str()`` says why."""


class Mapping:
    """One row of a process's maps."""

    def __init__(self, row: str) -> None:
        fields = row.split(maxsplit=5)
        start, _, end = fields[0].partition("-")
        self.start, self.end = int(start, 16), int(end, 16)
        self.is_code = "x" in fields[1]
        self.offset = int(fields[2], 16)
        self.path = fields[5] if len(fields) > 5 else ""


def read_maps(pid: int) -> list[Mapping]:
    """Returns what is mapped in a process. Raises OSError."""
    rows = split_lines(Path(f"/proc/{pid}/maps").read_text(errors="replace"))
    return [Mapping(row) for row in rows]


def find_functions(pid: int, names: tuple[str, ...]) -> dict[str, int]:
    """The addresses of functions of Python's in a process. Raises NoSymbols, OSError."""
    maps = read_maps(pid)
    program = str(Path(f"/proc/{pid}/exe").readlink())
    paths = dict.fromkeys(m.path for m in maps if m.is_code and m.path.startswith("/"))
    # The library where there is one: a program of another kind has Python inside, or a venv's link.
    candidates = sorted(
        (path for path in paths if path == program or "libpython" in path.rpartition("/")[2]),
        key=lambda path: path == program,
    )
    problem = ""
    for path in candidates:
        file = f"/proc/{pid}/exe" if path == program else f"/proc/{pid}/root{path}"
        try:
            image = Image(Path(file).read_bytes())
        except (OSError, NoSymbols, struct.error, IndexError) as error:
            problem = f" ({path}: {error})"
            continue
        own = [m for m in maps if m.path == path]
        found = image.find(names)
        if len(found) == len(names):
            bias = image.bias(own)
            return {name: address + bias for name, address in found.items()}
    raise NoSymbols(f"it is no Python that can be entered{problem}")


class Image:
    """One file of code: ELF for 64 bits."""

    def __init__(self, data: bytes) -> None:
        """Raises NoSymbols."""
        if data[:6] != b"\x7fELF\x02\x01":
            raise NoSymbols("no code for 64 bits")
        self._data = data
        kind, machine = struct.unpack_from("<HH", data, 16)
        if machine != _X86_64:
            raise NoSymbols("code for another processor")
        self._is_fixed = kind == 2

    def find(self, names: tuple[str, ...]) -> dict[str, int]:
        """The addresses of those functions that it defines, as the file has them."""
        wanted = {name.encode(): name for name in names}
        found = {}
        offset, size, strings = self._symbols()
        for place in range(offset, offset + size, 24):
            name_at, _, _, section, value = struct.unpack_from("<IBBHQ", self._data, place)
            if not section or not value:
                continue
            begin = strings + name_at
            name = wanted.get(self._data[begin : self._data.index(b"\0", begin)])
            if name is not None:
                found[name] = value
        return found

    def bias(self, mappings: list[Mapping]) -> int:
        """Returns how far from there it was loaded. Raises NoSymbols."""
        if self._is_fixed:
            return 0
        offset, entry, count = (
            *struct.unpack_from("<Q", self._data, 32),
            *struct.unpack_from("<HH", self._data, 54),
        )
        for number in range(count):
            kind, _, at, address = struct.unpack_from("<IIQQ", self._data, offset + number * entry)
            if kind != _LOAD:
                continue
            for mapping in mappings:
                if mapping.offset == at // _PAGE * _PAGE:
                    return mapping.start - int(address) // _PAGE * _PAGE
        raise NoSymbols("it is not mapped as a whole")

    def _symbols(self) -> tuple[int, int, int]:
        """Returns where the dynamic symbols are, their size, and where their names are."""
        begin = struct.unpack_from("<Q", self._data, 40)[0]
        size, count = struct.unpack_from("<HH", self._data, 58)
        for number in range(count):
            row = begin + number * size
            kind, _, _, offset, length, link = struct.unpack_from("<IQQQQI", self._data, row + 4)
            if kind == _DYNSYM:
                names = begin + link * size
                strings: int
                (strings,) = struct.unpack_from("<Q", self._data, names + 24)
                return offset, length, strings
        raise NoSymbols("no dynamic symbols")
