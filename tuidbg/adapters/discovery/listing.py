"""Lists the adapters that are on this machine: found where and in which version, or missing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import msgspec

from tuidbg.adapters.discovery.packages import install_command
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.table import ADAPTERS, Known, find_profile, own_adapters


class ListedAdapter(msgspec.Struct, frozen=True, kw_only=True):
    """One adapter. ``where`` is empty where it is missing; ``install`` is then what to type.

    ``problem`` says why it can't be used, ``gaps`` what this version lacks that newer ones have;
    ``own`` is one of the person's own.
    """

    name: str
    language: str
    files: tuple[str, ...]
    where: str = ""
    version: str = ""
    problem: str = ""
    gaps: str = ""
    install: str = ""
    own: bool = False

    @property
    def is_there(self) -> bool:
        """Tells whether it can be used."""
        return bool(self.where)


def list_adapters() -> list[ListedAdapter]:
    """All of them, the built-in ones first. Blocks for as long as the slowest is asked."""
    known = [(name, each, False) for name, each in ADAPTERS.items()]
    for name, own in own_adapters().items():
        known.append((name, Known("", own.patterns, own.interpreters), True))
    with ThreadPoolExecutor(max_workers=max(1, len(known))) as pool:
        return list(pool.map(lambda each: _look_at(*each), known))


def _look_at(name: str, known: Known, is_own: bool) -> ListedAdapter:
    profile = find_profile(name)
    interpreters = (f"#!{each}" for each in known.interpreters)
    listed = ListedAdapter(
        name=name,
        language=profile.language.name,
        files=(*known.patterns, *filter(None, (known.others,)), *interpreters),
        own=is_own,
    )
    try:
        where = profile.start.locate()
    except AdapterNotStarted as error:
        install = install_command(profile.start.packages)
        return msgspec.structs.replace(listed, problem=str(error), install=install)
    version = profile.start.read_version()
    gaps = profile.start.gaps(version)
    return msgspec.structs.replace(listed, where=where, version=version, gaps=gaps)
