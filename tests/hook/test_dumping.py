"""A program dumps its stack and values, and the file is opened as if it stood there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import tuidbg
from tests.support.interpreters import SUPPORTED, Version, name_of
from tests.support.recordings import opened

pytestmark = pytest.mark.real

DUMPING = [version for version in SUPPORTED if version >= (3, 11)]
each_python = pytest.mark.parametrize("version", DUMPING, ids=name_of)

SHOP = """
import gc
import sys
import weakref
import tuidbg

discount = 3

class Cart:
    def __init__(self):
        self.items = [7, {"kind": ("tart", 2)}]
        self.password = "hunter1"

def pay(cart, amount):
    api_token = {"hunter2": [amount]}
    alias = api_token
    return amount / (discount - 3)

def main():
    cart = Cart()
    try:
        pay(cart, 20)
    except ZeroDivisionError:
        print(tuidbg.dump(sys.argv[1]))
    seen = weakref.ref(cart)
    del cart
    gc.collect()
    print("gone", seen() is None)

main()
"""


def run(
    version: Version, folder: Path, text: str, *words: str, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run a program as a person has it, with tuidbg installed."""
    (folder / "program.py").write_text(text)
    root = str(Path(tuidbg.__file__).parent.parent)
    return subprocess.run(
        [SUPPORTED[version], "program.py", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": root, **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.own_python
@pytest.mark.full
@each_python
def test_a_caught_exception_is_opened_as_if_it_stood_there(
    tmp_path: Path, version: Version
) -> None:
    done = run(version, tmp_path, SHOP, "here.tuidbg")
    path = tmp_path / "here.tuidbg"
    assert done.stdout.split("\n")[:2] == [str(path), "gone True"], done.stderr
    assert not done.stderr
    with opened(path) as file:
        assert file.stack() == ["pay", "main", "<module>"]
        assert (
            file.frame("pay").line
            == SHOP.split("\n").index("    return amount / (discount - 3)") + 1
        )
        assert file.values("main")["cart"] == (
            "Cart(items=[7, {'kind': ('tart', 2)}], password=<redacted>)"
        )
        variables = file.values("pay")
        assert variables["amount"] == "20"
        assert variables["alias"] == "{<redacted>: <redacted>}"
        assert file.values("<module>")["discount"] == "3"
        assert file.file.program.ended == "ZeroDivisionError: division by zero"
        assert file.file.sources == {str(tmp_path / "program.py"): SHOP}


@pytest.mark.full
@each_python
def test_a_moment_without_an_exception_has_a_name_by_itself(
    tmp_path: Path, version: Version
) -> None:
    text = "import tuidbg\ndef work(n):\n    return tuidbg.dump()\nprint(work(3))\n"
    done = run(version, tmp_path, text, TUIDBG_DUMP=str(tmp_path / "dumps"))
    path = Path(done.stdout.strip())
    assert path.parent == tmp_path / "dumps"
    assert path.name.startswith("program-") and path.suffix == ".tuidbg"
    with opened(path) as file:
        assert file.stack() == ["work", "<module>"]
        assert file.values("work") == {"n": "3"}


HOSTILE = """
import sys
import tuidbg
ran = []

class Hostile:
    __slots__ = ("inner", "__dict__")
    def _run(self, *_):
        ran.append(1)
        raise RuntimeError("the program's own code ran")
    __eq__ = __hash__ = __repr__ = __str__ = __len__ = __bool__ = __iter__ = __getattr__ = _run
    def __getattribute__(self, name):
        object.__getattribute__(self, "_run")()
    @property
    def __class__(self):
        ran.append(2)
        return int

class Bad(Exception):
    __str__ = __repr__ = __bool__ = __eq__ = __hash__ = Hostile._run
    @property
    def __traceback__(self):
        ran.append(3)

class Keys(dict):
    def __iter__(self):
        ran.append(4)
        return iter(())
    keys = values = items = __getitem__ = __len__ = __iter__

def work():
    hostile, keys = Hostile(), Keys(a=1)
    many, deep = list(range(1000000)), None
    for _ in range(5000):
        deep = [deep]
    frame = sys._getframe()
    raise Bad(hostile)

try:
    work()
except Bad as error:
    path = tuidbg.dump("hostile.tuidbg", error)
print(path is not None, ran)

def endless(n):
    return endless(n + 1)

try:
    endless(0)
except RecursionError:
    print(tuidbg.dump("endless.tuidbg") is not None)
print(sys.getrecursionlimit())
"""


@pytest.mark.full
@each_python
def test_no_code_of_the_program_runs_for_a_dump(tmp_path: Path, version: Version) -> None:
    done = run(version, tmp_path, HOSTILE)
    assert done.stdout.split("\n")[:3] == ["True []", "True", "1000"], done.stderr
    with opened(tmp_path / "hostile.tuidbg") as file:
        variables = file.values("work")
        assert variables["keys"] == "Keys({'a': 1})"
        assert variables["many"].startswith("[0, 1, 2")
        assert variables["deep"].startswith("[[")
        assert file.file.program.ended == "Bad"
    with opened(tmp_path / "endless.tuidbg") as file:
        assert len(file.stack()) == 400
        assert "calls of the middle of the stack were left out" in file.file.program.ended


@pytest.mark.full
@each_python
def test_what_cannot_be_dumped_is_one_sentence(tmp_path: Path, version: Version) -> None:
    (tmp_path / "file").write_text("")
    text = "import tuidbg\nprint(tuidbg.dump('file/below/a.tuidbg'))\nprint('on')\n"
    done = run(version, tmp_path, text)
    assert done.stdout == "None\non\n"
    assert done.stderr.startswith("tuidbg: nothing could be dumped: ")
    assert done.stderr.count("\n") == 1


UNCAUGHT = """
import threading
import tuidbg
{install}
def fail(n):
    raise ValueError(n)
thread = threading.Thread(target=fail, args=(1,), name="worker")
thread.start()
thread.join()
fail(2)
"""


@pytest.mark.own_python
@each_python
@pytest.mark.parametrize("is_by_name", [True, False])
def test_uncaught_exceptions_are_dumped_where_that_is_wanted(
    tmp_path: Path, version: Version, is_by_name: bool
) -> None:
    text = UNCAUGHT.format(install="tuidbg.dump_uncaught('dumps')" if is_by_name else "")
    done = run(version, tmp_path, text, **({} if is_by_name else {"TUIDBG_DUMP": "dumps"}))
    assert done.returncode == 1
    assert done.stderr.count("Traceback (most recent call last)") == 2
    files = sorted((tmp_path / "dumps").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    assert all(f"tuidbg open {path}" in done.stderr for path in files)
    for path, number, thread in zip(files, "12", ("worker", "MainThread"), strict=True):
        with opened(path) as file:
            assert file.values("fail") == {"n": number}
            assert file.timeline.threads == {0: thread}


@pytest.mark.full
def test_nothing_is_dumped_where_nobody_wants_it(tmp_path: Path) -> None:
    done = run(max(DUMPING), tmp_path, UNCAUGHT.format(install=""))
    assert "tuidbg:" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["program.py"]
