"""The loader of tuidbg's modules in the program, and their bundles."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import CodeType
from typing import Any

import debugpy
import pytest

from tests.support.interpreters import SUPPORTED, name_of
from tuidbg.adapters.debugpy.tuning import launched_expression
from tuidbg.debuggee import bundle, loader
from tuidbg.debuggee.preload import namesakes

PYDEVD = Path(debugpy.__file__).parent / "_vendored" / "pydevd"

TEXT = "def outer():\n    return lambda: 'seven'\n"

WITHOUT_LOADER = ("preload.debugpy_launcher", "pytest_path.tuidbg_for_pytest")
"""Files that something else runs."""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    path = tmp_path / "part.py"
    path.write_text(TEXT, encoding="utf-8")
    return path


def code_of(file: Path, text: str, path: str = "") -> CodeType:
    found = file.stat()
    sent = (path or str(file), found.st_size, found.st_mtime_ns, text)
    return loader.Loader().code_of("part", sent)


def value_of(code: CodeType) -> object:
    space: dict[str, Any] = {}
    exec(code, space)
    return space["outer"]()()


def names_in(code: CodeType) -> set[str]:
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return {code.co_filename}.union(*map(names_in, inner))


# The code of a module


def test_the_bytecode_is_used_where_there_is_one(file: Path) -> None:
    code_of(file, TEXT)  # leaves it
    cached = Path(importlib.util.cache_from_source(str(file)))
    cached.write_bytes(cached.read_bytes().replace(b"seven", b"eight"))
    assert value_of(code_of(file, TEXT)) == "eight"
    assert names_in(code_of(file, TEXT)) == {"<tuidbg part>"}


def test_the_text_counts_where_the_file_is_another_one(file: Path) -> None:
    before = file.stat()
    sent = (str(file), before.st_size, before.st_mtime_ns, TEXT)
    code_of(file, TEXT)
    file.write_text(TEXT.replace("seven", "seventy"), encoding="utf-8")
    for path in (str(file), str(file) + " of another machine"):
        code = loader.Loader().code_of("part", (path, *sent[1:]))
        assert value_of(code) == "seven"
        assert names_in(code) == {"<tuidbg part>"}
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert value_of(loader.Loader().code_of("part", sent)) == "seven"


# Imports


def loaded(db: object = None, **texts: str) -> loader.Loader:
    """A loader with these modules as texts."""
    found = loader.Loader(db)
    found.files = {name: ("", 0, 0, text) for name, text in texts.items()}
    return found


def test_modules_import_each_other() -> None:
    found = loaded(
        first="from tuidbg.debuggee import second\nfrom tuidbg.debuggee.second import LIST, add",
        second="LIST = []\ndef add():\n    LIST.append(1)\ndef install():\n    add()",
    )
    before = set(sys.modules)
    first = found.load("first")
    first.add()
    assert first.second is found.load("second") is found["second"]
    assert first.LIST == [1, 1], "install was called once"
    assert set(sys.modules) == before


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        ({"first": "from tuidbg.debuggee.gone import x"}, "tuidbg has sent no module gone.x"),
        (
            {
                "first": "from tuidbg.debuggee import second",
                "second": "from tuidbg.debuggee import first",
            },
            "import each other: first",
        ),
        ({"first": "import a_module_of_the_programs"}, "is not loaded, and could be the program's"),
        ({"first": "def f():\n    import wave\nf()"}, "wave is not loaded, and could be"),
    ],
)
def test_imports_that_are_refused(
    texts: dict[str, str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a_module_of_the_programs", "wave"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('it was run')")
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError) as refused:
        loaded(object(), **texts).load("first")
    assert why in str(refused.value)


def test_code_of_the_programs_imports_as_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it runs in a namespace that has got our builtins."""
    (tmp_path / "own_module.py").write_text("x = 1")
    monkeypatch.syspath_prepend(tmp_path)
    text = "def work():\n    names = {}\n    exec('import own_module', names)\n    return names"
    assert loaded(object(), first=text).load("first").work()["own_module"].x == 1
    del sys.modules["own_module"]


def test_a_module_is_there_once_it_is_complete() -> None:
    """Or a child that is forked meanwhile would have a part of it for good."""
    found = loaded(first="x = 1 // 0")
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            found.load("first")
    assert "first" not in found.loaded


def test_what_the_program_replaces_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    found = loaded(first="def work():\n    import json\n    return len(json.dumps([1]))")
    module = found.load("first")
    with monkeypatch.context() as patched:
        patched.setattr("builtins.len", None)
        patched.setattr("builtins.__import__", None)
        value = module.work()
    assert value == 3


# Bundles


TYPING = ("TYPE_CHECKING = ", "if TYPE_CHECKING:")


def plain(text: str) -> str:
    """A source's tree without its docstrings and its imports for types."""
    tree = ast.parse(text, feature_version=(3, 8))
    tree.body = [node for node in tree.body if not ast.unparse(node).startswith(TYPING)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = "" if isinstance(node.value.value, str) else node.value.value
    return ast.dump(tree)


@pytest.mark.parametrize("name", bundle.find_modules())
def test_a_shortened_text_is_the_same_program(name: str) -> None:
    """It keeps its lines; the syntax is Python 3.8's."""
    text = bundle.find_modules()[name].read_text(encoding="utf-8")
    short = bundle.shorten(text)
    assert plain(short) == plain(text)
    assert short.count("\n") == text.count("\n") and len(short) < len(text)


def test_last_parts_of_names_are_unique() -> None:
    stems = [name.rpartition(".")[2] for name in bundle.find_modules()]
    assert sorted(set(stems)) == sorted(stems)


def imports_of(text: str) -> set[str]:
    """What a module imports, by its tree; below ``if TYPE_CHECKING`` nothing runs."""
    tree, found = ast.parse(text), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{each.name}" for each in node.names}
            found |= names if node.module in PACKAGES else {str(node.module)}
    return found


PACKAGES = {loader.PACKAGE} | {
    f"{loader.PREFIX}{name.rpartition('.')[0]}" for name in bundle.find_modules() if "." in name
}


@pytest.mark.parametrize("name", bundle.find_modules())
def test_what_a_module_imports_is_sent_with_it(name: str) -> None:
    text = bundle.find_modules()[name].read_text(encoding="utf-8")
    found = {each for each in imports_of(text) if each.startswith(loader.PACKAGE)}
    assert {loader.PREFIX + each for each in bundle.find_imports(text)} >= found
    needed = {loader.PREFIX + each for each in (*bundle.find_needed(name), "loader")}
    assert found <= needed


def test_no_module_imports_what_the_program_may_have_itself() -> None:
    """Those are forgotten before the program runs."""
    before = ("preload.", "attach_payload", "recording.")
    for name, path in bundle.find_modules().items():
        if not name.startswith(before):
            assert not imports_of(path.read_text()) & namesakes.RELEASED, name


IN_PROGRAM = """\
import json, sys
sys.path.insert(0, sys.argv[1])
import pydevd
pydevd.PyDB()
before = set(sys.modules)
for expression in json.load(sys.stdin):
    eval(expression)
loaded = pydevd._tuidbg.loaded
print(json.dumps([sorted(loaded), sorted(set(sys.modules) - before), loaded["swallowed"].report()]))
"""


@pytest.mark.real
@pytest.mark.parametrize("version", SUPPORTED, ids=name_of)
def test_all_modules_load_on_each_python(version: tuple[int, int]) -> None:
    """In a process that has pydevd and nothing else; no module is added to it."""
    alone = ("preload.speedups", "attach_payload", *WITHOUT_LOADER)  # they need what is not here
    names = [name for name in bundle.find_modules() if name not in (*alone, "loader")]
    names = [name for name in names if not name.startswith("recording.")]  # has its own loader
    if version < (3, 12):
        names = [name for name in names if not name.startswith("full_speed.")]
    expressions = [
        launched_expression(),
        *(bundle.load_expression(*bundle.bundle(name)) for name in names),
    ]
    done = subprocess.run(
        [SUPPORTED[version], "-c", IN_PROGRAM, str(PYDEVD)],
        input=json.dumps(expressions),
        capture_output=True,
        text=True,
        env={**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
    )
    assert done.returncode == 0, done.stderr
    loaded, added, swallowed = json.loads(done.stdout)
    assert {*names, "loader"} <= {*loaded} and added == [] and swallowed == {}


IN_TEST = """\
import importlib, sys
sys.path.insert(0, sys.argv[1])
for name in sys.argv[2:]:
    assert importlib.import_module(name).__file__
"""


@pytest.mark.real
def test_each_module_is_an_ordinary_one() -> None:
    """Without a debugger; importing it changes nothing, so that tests can do it."""
    names = [f"{loader.PREFIX}{name}" for name in bundle.find_modules()]
    if sys.version_info < (3, 12):
        other = (".full_speed.", ".recording_events", ".compiled_recorder")
        names = [name for name in names if not any(each in name for each in other)]
    names.remove(f"{loader.PREFIX}pytest_path.tuidbg_for_pytest")  # pytest's own
    done = subprocess.run(
        [sys.executable, "-c", IN_TEST, str(PYDEVD), *names],
        capture_output=True,
        text=True,
        env={**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
