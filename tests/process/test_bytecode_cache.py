"""Bytecode in the user's cache, for a process in which Python writes none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import environment
from tuidbg.process.bytecode_cache import MOST_KEPT

pytestmark = pytest.mark.real

IMPORTS = """\
import sys
from pathlib import Path
from tuidbg.process import bytecode_cache
print(bytecode_cache.use(Path(sys.argv[1])))
sys.path.insert(0, sys.argv[2])
import module
print(module.VALUE, sys.dont_write_bytecode)
"""


def run(cache: Path, sources: Path) -> list[str]:
    command = [sys.executable, "-B", "-c", IMPORTS, str(cache), str(sources)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "module.py").write_text("VALUE = 1\n")
    return folder


def test_bytecode_is_kept_in_the_cache_and_read_from_there(tmp_path: Path, sources: Path) -> None:
    cache, source = tmp_path / "cache", sources / "module.py"
    assert run(cache, sources) == ["True", "1", "False"]
    assert list(sources.iterdir()) == [source]
    (kept,) = cache.rglob("module*.pyc")
    assert kept.stat().st_mode & 0o077 == 0
    before = source.stat()
    source.write_text("VALUE = 2\n")  # with the same time and size the bytecode is still that of 1
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert run(cache, sources) == ["True", "1", "False"]
    os.utime(source, (0, 0))
    assert run(cache, sources) == ["True", "2", "False"]


def test_a_folder_in_which_others_may_write_is_not_used(tmp_path: Path, sources: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    assert run(cache, sources) == ["False", "1", "True"]
    assert not list(cache.rglob("*.pyc"))


def test_the_bytecode_of_few_environments_is_kept(tmp_path: Path, sources: Path) -> None:
    cache = tmp_path / "cache"
    for number in range(MOST_KEPT + 2):
        (cache / str(number)).mkdir(parents=True)
        os.utime(cache / str(number), (number, number))
    run(cache, sources)
    left = {each.name for each in cache.iterdir()}
    assert len(left) == MOST_KEPT and {"3", "4", "5"} < left


def test_the_command_uses_it_where_python_writes_none(tmp_path: Path) -> None:
    env = {**environment(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    env["XDG_CACHE_HOME"] = str(tmp_path)
    command = [sys.executable, "-m", "tuidbg", "--version"]
    subprocess.run(command, env=env, check=True, capture_output=True)
    assert list((tmp_path / "tuidbg" / "bytecode").iterdir())
