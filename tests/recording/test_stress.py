"""The compiled recorder touches nothing that is gone, and no recorder fails."""

from __future__ import annotations

import pytest

from tests.recording.compared import environment
from tests.recording.stress import made, outcome
from tests.support.interpreters import SUPPORTED, Version, name_of

pytestmark = pytest.mark.real

COMPILED = [version for version in SUPPORTED if version >= (3, 14)]


@pytest.fixture
def is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUIDBG_RECORDER", "compiled")
    if not environment()["COMPILED"]:
        pytest.skip("the compiled recorder was not built")


@pytest.mark.skipif(not COMPILED, reason="no Python at hand has what the compiled recorder needs")
@pytest.mark.parametrize("version", COMPILED, ids=name_of)
@pytest.mark.usefixtures("is_built")
def test_objects_end_while_they_are_recorded(version: Version) -> None:
    """Any of these crashed where an address was followed as it stood in a table."""
    for seed in range(3):
        assert outcome(SUPPORTED[version], made(seed), has_debug=seed == 1) == ""


@pytest.mark.full
def test_threads_look_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorder in Python failed where another thread looked at the same value meanwhile."""
    monkeypatch.setenv("TUIDBG_RECORDER", "python")
    for seed in (500001, 500003):
        assert outcome(SUPPORTED[max(SUPPORTED)], made(seed), has_debug=True) == ""


@pytest.mark.full
@pytest.mark.skipif(not COMPILED, reason="no Python at hand has what the compiled recorder needs")
@pytest.mark.parametrize("version", COMPILED, ids=name_of)
@pytest.mark.usefixtures("is_built")
def test_objects_end_in_many_ways_while_they_are_recorded(version: Version) -> None:
    for seed in range(100, 140):
        told = outcome(
            SUPPORTED[version], made(seed, is_deep=seed % 20 == 0), has_debug=seed % 2 == 1
        )
        assert told == "", f"seed {seed}"
