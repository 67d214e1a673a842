"""The output of all ranks in one console: each line with the rank that wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.family.test_family import join, make_root
from tests.support.sessions import until
from tuidbg.session.core.process_tree import merged_output as merged
from tuidbg.session.core.process_tree.identity import Identity
from tuidbg.session.core.process_tree.merged_output import MergedOutput


async def test_lines_wait_for_the_rank_of_their_process(tmp_path: Path) -> None:
    root = make_root(tmp_path)
    child = join(root, 1)
    lines = MergedOutput(root.output_stream)
    lines.follow(child)
    child.session.write_output("stdout", "early\n")
    lines._write_known()
    assert not list(root.output)
    assert root.family is not None
    root.family.identify(child, Identity(rank=3))
    child.session.write_output("stdout", "later\n")
    await until(lambda: len(root.output) == 2)
    assert [each.text for each in root.output] == ["rank 3 │ early", "rank 3 │ later"]


async def test_a_process_without_a_rank_is_waited_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merged, "UNNAMED", 0.0)
    root = make_root(tmp_path)
    lines = MergedOutput(root.output_stream)
    lines.follow(join(root, 1))
    (child,) = (each for each in root.family or () if each.number)
    child.session.write_output("stdout", "one\n")
    await until(lambda: len(root.output) == 1)
    assert root.output[0].text == "worker 1 │ one"
