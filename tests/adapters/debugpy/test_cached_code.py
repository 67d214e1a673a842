"""The code of tuidbg's own files in a program: from their bytecode, or from the text."""

from __future__ import annotations

import importlib.util
import os
import runpy
import sys
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from tuidbg.adapters.debugpy import inside_calls

HERE = Path(inside_calls.__file__).with_name("inside")
TEXT = "def outer():\n    return lambda: 'seven'\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    path = tmp_path / "part.py"
    path.write_text(TEXT, encoding="utf-8")
    return path


def code_of(file: Path, text: str) -> CodeType:
    found = file.stat()
    run: Any = runpy.run_path(str(HERE / "running" / "cached_code.py"))["code_of"]
    code = run("part", str(file), found.st_size, found.st_mtime_ns, text)
    assert isinstance(code, CodeType)
    return code


def value_of(code: CodeType) -> object:
    space: dict[str, Any] = {}
    exec(code, space)
    return space["outer"]()()


def names_in(code: CodeType) -> set[str]:
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return {code.co_filename}.union(*map(names_in, inner))


def test_the_bytecode_is_used_where_there_is_one(file: Path) -> None:
    code_of(file, TEXT)  # leaves it
    cached = Path(importlib.util.cache_from_source(str(file)))
    cached.write_bytes(cached.read_bytes().replace(b"seven", b"eight"))
    assert value_of(code_of(file, TEXT)) == "eight"
    assert names_in(code_of(file, TEXT)) == {"<tuidbg part>"}


def test_the_text_counts_where_the_file_is_another_one(file: Path) -> None:
    before = file.stat()
    code_of(file, TEXT)
    file.write_text(TEXT.replace("seven", "seventy"), encoding="utf-8")
    run: Any = runpy.run_path(str(HERE / "running" / "cached_code.py"))["code_of"]
    for path in (str(file), str(file) + " of another machine"):
        code = run("part", path, before.st_size, before.st_mtime_ns, TEXT)
        assert value_of(code) == "seven"
        assert names_in(code) == {"<tuidbg part>"}
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert value_of(run("part", str(file), before.st_size, before.st_mtime_ns, TEXT)) == "seven"


def test_a_module_is_there_once_it_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or a child that is forked meanwhile would have a part of it for good."""
    name = "_tuidbg_of_this_test"
    part = tmp_path / "part.py"
    part.write_text(f"import sys\nis_there = {name!r} in sys.modules\n", encoding="utf-8")
    monkeypatch.delitem(sys.modules, name, raising=False)
    for _ in range(2):  # the second time it is found
        eval(inside_calls.install_expression(name, part))
    module: Any = sys.modules.pop(name)
    assert module.is_there is False
