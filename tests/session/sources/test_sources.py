"""Just-my-code: the same decisions as pydevd's, and sentences for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import debugpy
import pytest

from tests.support.sessions import debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.sources.rules import SourceRule, SourceRules
from tuidbg.session.model.errors import InvalidSetting

SITE = "/env/lib/python3.11/site-packages"
LIBRARIES = ("/env/lib/python3.11", SITE, "/other/site-packages/")

FILES = {
    "/home/me/app/main.py": "__main__",
    "/home/me/app/shop/__init__.py": "shop",
    "/home/me/app/shop/till.py": "shop.till",
    "/home/me/app/shopping.py": "shopping",
    f"{SITE}/requests/api.py": "requests.api",
    f"{SITE}/requests/__init__.py": "requests",
    f"{SITE}/requests_cache/core.py": "requests_cache.core",
    f"{SITE}/single.py": "single",
    "/env/lib/python3.11/json/decoder.py": "json.decoder",
    "/env/lib/python3.11.zip/zipped.py": "zipped",
    "/other/site-packages/odd/x.py": "odd.x",
    "<frozen runpy>": "runpy",
    "<ipython-input-1>": "__main__",
}

RULES: dict[str, list[SourceRule]] = {
    "none": [],
    "a library": [SourceRule(include=True, module="requests")],
    "a module of it": [
        SourceRule(include=True, module="requests"),
        SourceRule(include=False, module="requests.api"),
    ],
    "the other way round": [
        SourceRule(include=False, module="requests.api"),
        SourceRule(include=True, module="requests"),
    ],
    "own code hidden": [SourceRule(include=False, module="shop")],
    "a file": [SourceRule(include=True, path=f"{SITE}/single.py")],
    "folder and pattern": [
        SourceRule(include=False, path="/home/me/**/till.py"),
        SourceRule(include=True, path="/home/me/app/shop/till.py"),
        SourceRule(include=True, path="**/site-packages/*/*.py"),
    ],
    "pattern before module": [
        SourceRule(include=True, module="requests"),
        SourceRule(include=False, path="**/requests/**"),
    ],
    "patterns in order": [
        SourceRule(include=False, path="**/requests/*"),
        SourceRule(include=True, path="**/requests/api.py"),
        SourceRule(include=True, path="/home/?e/app/**"),
    ],
}

ORACLE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from _pydevd_bundle.pydevd_filtering import FilesFiltering
from _pydevd_bundle.pydevd_process_net_command_json import _convert_rules_to_exclude_filters
def hidden(path, module, case):
    files = FilesFiltering()
    files.set_library_roots(case["libraries"])
    files.set_project_roots(case["own"])
    files.set_exclude_filters(_convert_rules_to_exclude_filters(case["rules"], sys.exit))
    by_rule = files.exclude_by_filter(path, module)
    if by_rule is not None:
        return by_rule
    return case["just_my_code"] and not files.in_project_roots(path)
work = json.load(sys.stdin)
print(json.dumps([[hidden(*f, case) for f in work["files"]] for case in work["cases"]]))
"""


def ask_pydevd(cases: list[dict[str, Any]], files: list[tuple[str, str]]) -> list[list[bool]]:
    """Returns what pydevd itself decides, in a process of its own."""
    folder = Path(debugpy.__file__).parent / "_vendored" / "pydevd"
    asked = subprocess.run(
        [sys.executable, "-c", ORACLE, str(folder)],
        input=json.dumps({"cases": cases, "files": files}),
        env={**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    decided: list[list[bool]] = json.loads(asked.stdout)
    return decided


@pytest.mark.real
def test_it_decides_as_pydevd_does() -> None:
    cases, made = [], []
    for rules in RULES.values():
        for switch in (True, False):
            for own in ((), ("/home/me/app/shop",), (f"{SITE}/requests",)):
                sources = SourceRules(just_my_code=switch, rules=rules)
                sources.learn_roots(LIBRARIES, own)
                made.append(sources)
                roots = {"libraries": LIBRARIES, "own": own}
                cases.append({"rules": sources.render(), "just_my_code": switch, **roots})
    decided = ask_pydevd(cases, list(FILES.items()))
    for case, sources, answers in zip(cases, made, decided, strict=True):
        ours = [sources.is_hidden(path, module) for path, module in FILES.items()]
        assert dict(zip(FILES, ours, strict=True)) == dict(zip(FILES, answers, strict=True)), case


@pytest.mark.full
@pytest.mark.real
def test_folders_are_rules_for_all_that_is_in_them(tmp_path: Path) -> None:
    """And a path with a bracket means itself, which pydevd would take for a pattern."""
    for name in ("plain", "odd[1]"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "x.py").write_text("", encoding="utf-8")
        (folder / "y.py").write_text("", encoding="utf-8")
        sources = SourceRules()
        sources.exclude(path=f"{folder}/")
        sources.target = str(folder / "y.py")
        case = {"rules": sources.render(), "just_my_code": True, "libraries": [], "own": []}
        files = [(str(folder / "x.py"), "x"), (str(folder / "y.py"), "y")]
        assert [sources.is_hidden(*file) for file in files] == [True, False]
        assert ask_pydevd([case], files) == [[True, False]]


def test_libraries_are_known_by_their_places_until_the_program_tells() -> None:
    sources = SourceRules()
    assert sources.is_hidden(f"{SITE}/requests/api.py")
    assert sources.is_hidden("/usr/lib/python3/dist-packages/yaml/__init__.py")
    assert sources.is_hidden("/usr/lib64/python3.9/json/decoder.py")
    assert not sources.is_hidden("/home/me/app/main.py")
    assert not sources.is_hidden("/home/me/lib/python/main.py")
    sources.learn_roots(["/home/me/lib"])
    assert sources.is_hidden("/home/me/lib/python/main.py")
    assert not sources.is_hidden("/home/me/library.py")
    sources.just_my_code = False
    assert not sources.is_hidden("/home/me/lib/python/main.py")


@pytest.mark.real
async def test_the_other_files_of_an_installed_program_are_own_code(tmp_path: Path) -> None:
    folder = tmp_path / "site-packages" / "shop"
    folder.mkdir(parents=True)
    (folder / "prices.py").write_text("def price_of():\n    return 7\n", encoding="utf-8")
    script = folder / "main.py"
    script.write_text("import prices\n\nprices.price_of()\n", encoding="utf-8")
    async with debugpy_session(tmp_path, script) as under_test:
        sources = under_test.session.sources
        await under_test.start()
        await under_test.go(Resume.STEP_OVER)
        await under_test.go(Resume.STEP_IN)
        place = under_test.session.frames[0].place
        assert place is not None
        path = place.path
        assert Path(path).name == "prices.py"
        for _ in ("before the roots are known", "once they are"):
            assert not sources.is_hidden(path)
            assert not sources.is_frame_of_library(under_test.session.frames[0])
            assert sources.is_hidden(str(folder.parent / "other.py"))
            await under_test.session.live_rules.learn_roots()
        assert sources.knows_roots


def test_modules_and_libraries_have_names(tmp_path: Path) -> None:
    sources = SourceRules()
    assert sources.library_of(f"{SITE}/requests/adapters.py") == "requests"
    assert sources.module_of(f"{SITE}/requests/adapters.py") == "requests.adapters"
    assert sources.module_of(f"{SITE}/requests/__init__.py") == "requests"
    assert sources.library_of("/usr/lib/python3.11/json/decoder.py") == "json"
    assert sources.library_of("/home/me/app/main.py") == ""
    assert sources.module_of("/home/me/app/readme.txt") == ""
    (tmp_path / "pkg" / "sub").mkdir(parents=True)
    for name in ("pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/mod.py"):
        (tmp_path / name).write_text("", encoding="utf-8")
    assert sources.module_of(str(tmp_path / "pkg/sub/mod.py")) == "pkg.sub.mod"
    assert sources.module_of(str(tmp_path / "pkg/sub/__init__.py")) == "pkg.sub"
    sources.exclude(module="pkg.sub")
    assert sources.is_hidden(str(tmp_path / "pkg/sub/mod.py"))
    assert not sources.is_hidden(str(tmp_path / "pkg/__init__.py"))


def test_it_says_why() -> None:
    sources = SourceRules()
    assert sources.why_hidden("/home/me/app/main.py") == ""
    assert sources.why_hidden(f"{SITE}/requests/api.py") == (
        "It belongs to the library requests, and just-my-code is on."
    )
    assert sources.why_hidden("<string>") == (
        "It belongs to no source of yours, and just-my-code is on."
    )
    sources.exclude(module="requests")
    assert sources.why_hidden(f"{SITE}/requests/api.py") == "A rule of yours hides requests."


def test_rules_replace_each_other_and_can_be_taken_back() -> None:
    sources = SourceRules(rules=[SourceRule(include=True, module="json")])
    sources.include(module=" requests. ")
    sources.exclude(path="/home/me/app/")
    sources.exclude(module="requests")
    assert [(r.include, r.module, r.path) for r in sources.rules] == [
        (True, "json", ""),
        (False, "", "/home/me/app"),
        (False, "requests", ""),
    ]
    sources.forget(module="requests")
    sources.forget(module="requests")
    sources.forget(path="/home/me/app/")
    assert sources.render() == [{"module": "json", "include": True}]
    sources.target = "/home/me/app/main.py"
    assert sources.render()[0] == {"path": "/home/me/app/main.py", "include": True}
    sources.exclude(path="/home/me/app/main.py")
    assert sources.is_hidden("/home/me/app/main.py")
    assert sources.render()[0] == {"path": "/home/me/app/main.py", "include": False}


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({}, "name a module, or a file or folder"),
        ({"module": "a", "path": "/b"}, "name a module, or a file or folder"),
        ({"module": "a-b"}, "a-b is no name of a module"),
        ({"path": "app/main.py"}, "write the whole path"),
    ],
)
def test_a_rule_must_make_sense(rule: dict[str, str], sentence: str) -> None:
    with pytest.raises(InvalidSetting, match=sentence):
        SourceRules().include(**rule)


def test_paths_are_mapped_for_the_next_launch() -> None:
    sources = SourceRules()
    sources.map_paths("/home/me/app/", "/srv/app")
    assert sources.render_mappings() == [{"localRoot": "/home/me/app", "remoteRoot": "/srv/app"}]
