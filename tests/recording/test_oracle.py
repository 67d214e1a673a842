"""What is recorded of a run is what a tracer sees that copies everything at each line."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.recording.compared import environment, run_both
from tests.recording.examples import PROGRAMS
from tests.recording.mutations import mutating_programs
from tests.support.interpreters import SUPPORTED, Version, name_of
from tuidbg.recording.texts import RECORDER

pytestmark = pytest.mark.real

RECORDED = [version for version in SUPPORTED if version >= (3, 12)]
every_python = pytest.mark.parametrize("version", RECORDED, ids=name_of)
oldest_and_newest = pytest.mark.parametrize("version", [RECORDED[0], RECORDED[-1]], ids=name_of)
"""For what depends on the recorder more than on the interpreter."""


@pytest.mark.sampled
@oldest_and_newest
def test_what_was_there_is_what_is_recorded(version: Version, tmp_path: Path) -> None:
    texts = PROGRAMS | {f"{name} again": f"{text}\n" for name, text in PROGRAMS.items()}
    found = run_both(SUPPORTED[version], texts, tmp_path)  # segments are large in one, small in one
    assert found == {name: [] for name in texts}


@pytest.mark.full
@oldest_and_newest
def test_the_compiled_recorder_sees_the_same(
    version: Version, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RECORDER, "compiled")
    if not environment()["COMPILED"]:
        pytest.skip("the compiled recorder was not built")
    found = run_both(SUPPORTED[version], PROGRAMS, tmp_path)
    assert found == {name: [] for name in PROGRAMS}


@pytest.mark.full
def test_programs_of_all_kinds_are_recorded_as_they_ran() -> None:
    version = RECORDED[-1]

    @settings(
        max_examples=3,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
        phases=[Phase.generate],  # to make a smaller program of one takes minutes
        print_blob=False,
    )
    @given(st.lists(mutating_programs(version), min_size=8, max_size=8))
    def check(texts: list[str]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            programs = {f"p{i}": text for i, text in enumerate(texts)}
            found = run_both(SUPPORTED[version], programs, Path(folder))
        for name, differences in found.items():
            assert not differences, f"{differences[:5]}\n{programs[name]}"

    check()
