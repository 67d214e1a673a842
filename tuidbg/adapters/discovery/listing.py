"""The list of adapters: location and version, or how to install them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import msgspec

from tuidbg.adapters.discovery.packages import install_command
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.table import ADAPTERS, KnownAdapter, find_profile, own_adapters


class ListedAdapter(msgspec.Struct, frozen=True, kw_only=True):
    """An adapter. ``where`` is empty if it is missing; ``install`` is then the command.

    ``problem`` is the reason why it is unusable, ``gaps`` what newer versions have in addition;
    ``own`` is one of the user's.
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
        """Return whether it is usable."""
        return bool(self.where)


def list_adapters() -> list[ListedAdapter]:
    """Return all adapters, the built-in ones first. Blocks for the slowest query."""
    known = [(name, each, False) for name, each in ADAPTERS.items()]
    for name, own in own_adapters().items():
        known.append((name, KnownAdapter("", own.patterns, own.interpreters), True))
    with ThreadPoolExecutor(max_workers=max(1, len(known))) as pool:
        return list(pool.map(lambda each: _look_at(*each), known))


def _look_at(name: str, known: KnownAdapter, is_own: bool) -> ListedAdapter:
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
