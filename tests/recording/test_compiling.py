"""The compiled recorder is built beside a recording, quietly, and used by the next one."""

from __future__ import annotations

import os
import shutil
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.recording.compared import environment, read_spool
from tests.recording.test_harmless import record
from tests.support.interpreters import SUPPORTED
from tuidbg.recording import compiling, texts

pytestmark = pytest.mark.real

CAN_BUILD = shutil.which("cc") and Path(sysconfig.get_path("include"), "Python.h").exists()
PATIENCE = 60.0


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder it is built in; none was installed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv(texts.RECORDER, "compiled")
    monkeypatch.setattr(texts, "_INSTALLED", tmp_path / "none")
    return tmp_path / "tuidbg"


def wait_for_build(is_done: Callable[[], object]) -> None:
    (process,) = compiling._running
    process.wait(PATIENCE)
    assert is_done()


@pytest.mark.skipif(not CAN_BUILD, reason="there is no C compiler, or no Python.h")
def test_it_is_built_in_a_process_of_its_own_and_used(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert texts.compiled_path() == ""
    assert texts.why_not_compiled() == (
        "the compiled recorder is being built, for the next recording"
    )
    begun = time.monotonic()
    texts.build_compiled()
    assert time.monotonic() - begun < 1  # nothing waits for the compiler
    texts.build_compiled()  # nor is a second one started
    wait_for_build(texts.compiled_path)
    (built,) = folder.iterdir()
    assert texts.compiled_path() == str(built)
    assert built.stat().st_mode & 0o077 == 0
    assert capfd.readouterr() == ("", "")
    newest = max(SUPPORTED)
    if newest >= (3, 14):
        assert environment()["COMPILED"] == str(built)
        (tmp_path / "work").mkdir()
        program = record(newest, "a = [1]\na.append(2)\n", tmp_path / "work")
        assert read_spool(program.parent / "spool").recorder == "compiled"
    built.chmod(0o666)
    assert texts.compiled_path() == ""
    assert texts.why_not_compiled() == f"others may write {built}"


def test_a_build_that_fails_is_told_and_not_tried_at_each_recording(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CC", "false")
    texts.build_compiled()
    wait_for_build(lambda: not texts.compiled_path())
    (noted,) = folder.iterdir()
    assert texts.why_not_compiled().startswith("the compiled recorder could not be built: the")
    texts.build_compiled()
    assert len(compiling._running) == 1 and compiling._running[0].poll() is not None
    os.utime(noted, (0, 0))
    assert texts.why_not_compiled().endswith("for the next recording")
    assert capfd.readouterr() == ("", "")


def test_it_is_not_built_where_the_other_one_is_wanted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(texts.RECORDER, "python")
    compiling._running.clear()
    texts.build_compiled()
    assert not compiling._running and not folder.exists()
    assert texts.why_not_compiled() == "TUIDBG_RECORDER is python"
