"""Tests sources that lie in a zip."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tuidbg.config.launch import (
    LaunchPlan,
    TargetKind,
    archive_of,
    is_archive,
    is_in_zip,
    is_source,
    read_zipped,
)


def _zip(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("__main__.py", "main = 1\n")
        archive.writestr("pack/work.py", "work = 1\n")
    return path


def test_a_path_that_goes_on_in_a_zip(tmp_path: Path) -> None:
    archive = _zip(tmp_path / "tool.pyz")
    inside = str(archive / "pack" / "work.py")
    assert is_in_zip(inside) and is_source(inside)
    assert archive_of(inside) == archive
    assert read_zipped(inside) == b"work = 1\n"


def test_what_is_in_no_zip(tmp_path: Path) -> None:
    archive, file = _zip(tmp_path / "lib.zip"), tmp_path / "plain.py"
    file.write_text("x = 1\n", encoding="utf-8")
    assert is_source(str(file)) and not is_in_zip(str(file))
    assert archive_of(str(file)) is None
    for path in (
        str(archive / "none.py"),
        str(file / "in.py"),
        "<string>",
        str(tmp_path / "no.py"),
    ):
        assert not is_source(path)
        with pytest.raises(OSError):
            read_zipped(path)


def test_an_application_is_shown_by_its_main(tmp_path: Path) -> None:
    archive, script = _zip(tmp_path / "tool"), tmp_path / "script.py"
    script.write_text("x = 1\n", encoding="utf-8")
    assert is_archive(archive)
    assert not is_archive(script)
    for target, first in ((archive, archive / "__main__.py"), (script, script)):
        plan = LaunchPlan(
            kind=TargetKind.SCRIPT, target=str(target), cwd=str(tmp_path), python="python"
        )
        assert plan.first_source == str(first)
