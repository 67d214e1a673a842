"""Each kind of statement stops where, and as often as, it does in Python's own debugger."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.breakpoints.equivalence.hosts import (
    HOST,
    Wanted,
    debugged_host,
    reference_host,
)
from tests.support.interpreters import SUPPORTED, Version, name_of

pytestmark = pytest.mark.full

STATEMENTS = HOST.with_name("statements.py")

PYTHONS = [
    pytest.param(version, id=name_of(version)) for version in SUPPORTED if version >= (3, 11)
]


@pytest.mark.real
@pytest.mark.parametrize("version", PYTHONS)
async def test_each_statement_stops_as_in_pdb(version: Version, tmp_path: Path) -> None:
    path = str(STATEMENTS)
    with reference_host(SUPPORTED[version]) as reference:
        traced = reference.run(path, [])
        assert traced.error == ""
        lines = sorted(set(traced.lines))
        wanted = [Wanted(line) for line in lines]
        expected = reference.run(path, wanted, by_pdb=True)
    assert [record[1] for record in expected.records["told in MainThread"]] == traced.lines
    async with debugged_host(tmp_path, SUPPORTED[version]) as debugged:
        found = await debugged.run(path, wanted)
    assert found.records == expected.records
    assert found.counts == expected.counts
