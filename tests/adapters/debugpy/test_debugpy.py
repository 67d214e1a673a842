"""debugpy's profile: every kind of target stops on entry, and sources are examined truly."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED, TOO_OLD, name_of
from tests.support.sessions import debugpy_session, until
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.adapters.debugpy.sources import examine as examine_module
from tuidbg.adapters.traits import SourceFacts
from tuidbg.config.launch import Console, LaunchPlan, TargetKind
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import BreakpointStatus, ExitState, Status, StopReason

pytestmark = pytest.mark.real


def plan_of(
    target: Path | str, *, kind: TargetKind = TargetKind.SCRIPT, **changes: object
) -> LaunchPlan:
    fields: dict[str, object] = {
        "kind": kind,
        "target": str(target),
        "cwd": str(Path(target).parent),
        "python": sys.executable,
        **changes,
    }
    return LaunchPlan(**fields)  # type: ignore[arg-type]


# Every kind of target stops on entry


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a package, a folder to run and a test case."""
    files = {
        "pkg/__init__.py": "IN_INIT = 1\n",
        "pkg/__main__.py": '"""Doc."""\n\nimport sys\nfrom pkg.inner import work\nwork(sys.argv)\n',
        "pkg/inner.py": "def work(args):\n    print(args[1:])\n    return len(args)\n",
        "folder/__main__.py": "import helper\n\nprint(helper.NAME, __package__ == '')\n",
        "folder/helper.py": "NAME = 'helped'\n",
        "test_case.py": (
            "import unittest\n\n\nclass Case(unittest.TestCase):\n"
            "    def test(self):\n        self.assertEqual(1 + 1, 2)\n"
        ),
        "good.json": '{"a": [1, 2]}',
        "data.json": '{"a": [1,\n2]\n',
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.full
async def test_a_package_stops_in_its_main(project: Path) -> None:
    """debugpy itself would stop in the package's ``__init__.py``."""
    async with debugpy_session(project, "pkg", "a", "-b", kind=TargetKind.MODULE) as under_test:
        session = under_test.session
        inner = str(project / "pkg" / "inner.py")
        await session.breakpoints.set(inner, 2, origin="tui")
        await under_test.start()
        main = str(project / "pkg" / "__main__.py")
        place = session.frames[0].place
        assert place is not None
        assert (os.path.realpath(place.path), place.line) == (os.path.realpath(main), 1)
        assert (under_test.reason, under_test.hits) == (StopReason.ENTRY, ())
        await under_test.go(Resume.CONTINUE)
        assert session.frames[0].name == "work"
        assert under_test.hits == (1,)
        await under_test.to_end()
        assert under_test.output("stdout") == "['a', '-b']"


@pytest.mark.parametrize(
    "runner",
    [
        "pytest",
        pytest.param("command pytest", marks=pytest.mark.full),
        pytest.param("unittest", marks=pytest.mark.full),
        pytest.param("cProfile", marks=pytest.mark.full),
    ],
)
async def test_what_runs_the_code_of_others_stops_in_the_first_of_it(
    runner: str, tmp_path: Path
) -> None:
    """Not in its own first line, nor in a module that has no line that runs."""
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "__init__.py").write_text('"""Tests."""\n')
    test, conftest = folder / "test_it.py", folder / "conftest.py"
    test.write_text("import unittest as u\n\nclass A(u.TestCase):\n  def test(self):\n    pass\n")
    conftest.write_text("import pytest\n\n@pytest.fixture\ndef one():\n    return 1\n")
    words = {"unittest": ["tests.test_it"], "cProfile": [str(test)]}.get(runner, ["tests"])
    name, is_command = runner.removeprefix("command "), runner.startswith("command ")
    target = Path(sys.executable).with_name(name) if is_command else name
    async with debugpy_session(
        tmp_path,
        target,
        *words,
        kind=TargetKind.SCRIPT if is_command else TargetKind.MODULE,
        is_command=is_command,
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    ) as under_test:
        await under_test.start()
        frame = under_test.session.frames[0]
        assert frame.place is not None
        own = conftest if name == "pytest" else test
        assert (frame.place.path, frame.place.line) == (str(own), 1), under_test.console
        assert (under_test.reason, under_test.hits) == (StopReason.ENTRY, ())
        assert "on entry" not in under_test.console
        await under_test.go(Resume.STEP_OVER)
        assert under_test.line == 3
        await under_test.go(Resume.CONTINUE)
        assert under_test.ended and under_test.session.exit == ExitState(code=0)


@pytest.mark.full
async def test_a_folder_stops_in_its_main(project: Path) -> None:
    folder = project / "folder"
    async with debugpy_session(project, folder, console=Console.TERMINAL) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(folder / "__main__.py"), 3, origin="tui")
        await under_test.start()
        assert (under_test.line, under_test.reason) == (1, StopReason.ENTRY)
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == 3
        # debugpy calls every breakpoint verified whose file is there, whatever it holds.
        for name, words in (("data.json", "does not compile"), ("missing.py", "does not exist")):
            refused = await session.breakpoints.set(str(project / name), 1, origin="tui")
            assert refused.status is BreakpointStatus.REFUSED
            assert words in refused.message
        await under_test.to_end()
        assert under_test.output("terminal") == "helped True"


@pytest.mark.full
async def test_modules_of_the_library_stop_on_entry(project: Path) -> None:
    """debugpy itself never stops there."""

    async def stops(module: str, argument: str, said: str) -> None:
        folder = project / module
        folder.mkdir()
        async with debugpy_session(
            folder, module, argument, kind=TargetKind.MODULE, cwd=str(project)
        ) as under_test:
            await under_test.start()
            assert under_test.reason is StopReason.ENTRY
            assert under_test.session.frames[0].name == "<module>"
            await under_test.go(Resume.STEP_OVER)
            assert under_test.session.status is Status.PAUSED
            await under_test.to_end()
            assert said in under_test.console
            assert under_test.session.exit == ExitState(code=0)

    await asyncio.gather(
        stops("json.tool", "good.json", '"a": ['), stops("unittest", "test_case", "Ran 1 test")
    )


@pytest.mark.full
async def test_a_server_stops_on_entry(project: Path) -> None:
    """And in a breakpoint of the person's in a module of the library."""
    async with debugpy_session(
        project, "http.server", "0", kind=TargetKind.MODULE, console=Console.TERMINAL
    ) as under_test:
        session = under_test.session
        await under_test.start()
        assert under_test.reason is StopReason.ENTRY
        place = session.frames[0].place
        assert place is not None
        assert place.path.endswith("/http/server.py")
        await session.execution.resume(Resume.CONTINUE, origin="tui")
        await under_test.until(lambda: "Serving HTTP" in under_test.output("terminal"))
        session.terminal_io.send_interrupt()
        await under_test.settled(1)
        await under_test.to_end()


@pytest.mark.full
async def test_just_my_code_and_all_code(project: Path) -> None:
    program = project / "steps.py"
    program.write_text("import json\njson.dumps([1])\nprint('end')\n", encoding="utf-8")

    async def step_in(just_my_code: bool, name: str) -> None:
        folder = project / name.strip("<>")
        folder.mkdir()
        async with debugpy_session(folder, program, just_my_code=just_my_code) as under_test:
            await under_test.start()
            await under_test.go(Resume.STEP_OVER)
            await under_test.go(Resume.STEP_IN)
            assert under_test.session.frames[0].name == name

    await asyncio.gather(step_in(True, "<module>"), step_in(False, "dumps"))


@pytest.mark.full
async def test_odd_names_and_the_environment(tmp_path: Path) -> None:
    program = tmp_path / "ein schöner name's.py"
    program.write_text(
        "# -*- coding: latin-1 -*-\nimport os, sys\nx = 'äöü'\n"
        "print(ascii(sys.argv[1:]), os.environ['WHO'], os.getcwd())\n",
        encoding="latin-1",
    )
    args = ("--flag", "a b", "'quoted'", "$HOME", "", "ü\n2")
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    async with debugpy_session(
        tmp_path, program, *args, env={"WHO": "me & you"}, cwd=str(elsewhere),
        console=Console.TERMINAL,
    ) as under_test:  # fmt: skip
        session = under_test.session
        found = await session.breakpoints.set(str(program), 4, origin="tui")
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == 4
        assert under_test.breakpoint(4).number == found.number
        assert (await under_test.locals())["x"].value == "'äöü'"
        await under_test.to_end()
        said = under_test.output("terminal").replace("\n", "")
        assert said == f"{list(args)!a} me & you {elsewhere}"


# Exit codes and launch arguments


@pytest.mark.parametrize(
    ("code", "name"),
    [(0, ""), (1, ""), (247, ""), (255, ""), (-9, "SIGKILL"), (-11, "SIGSEGV"), (-999, "")],
)
def test_exit_codes_of_signals(code: int, name: str) -> None:
    assert DebugpyProfile().ending.exit_signal(code) == name


def test_what_is_asked_of_debugpy() -> None:
    profile = DebugpyProfile()
    facts = SourceFacts("/p/main.py", (3, 5))
    script = profile.launch.arguments(plan_of("/p/main.py", args=("a",)), facts)
    assert (script["program"], script["args"], script["stopOnEntry"]) == ("/p/main.py", ["a"], True)
    assert "module" not in script
    module = plan_of("pkg", kind=TargetKind.MODULE)
    assert profile.launch.entry_line(module, facts) == 3
    asked = profile.launch.arguments(module, facts)
    assert (asked["module"], asked["stopOnEntry"]) == ("pkg", False)
    running = plan_of("pkg", kind=TargetKind.MODULE, stop_on_entry=False)
    assert profile.launch.entry_line(running, facts) is None
    # A module that can't be found: debugpy may try.
    assert profile.launch.arguments(module, SourceFacts("pkg"))["stopOnEntry"] is True


# Examining sources


@pytest.mark.full
@pytest.mark.parametrize("version", SUPPORTED, ids=name_of)
async def test_the_lines_that_can_break(version: tuple[int, int], tmp_path: Path) -> None:
    path = tmp_path / "source.py"
    path.write_text(
        '"""Doc."""\n\n# a comment\nx = 1\n\n\ndef f(a):\n    """Doc."""\n    b = (\n        a +\n'
        "        1\n    )\n    return [\n        i\n        for i in range(b)\n    ]\n\nclass C:\n"
        "    y: int = 2\n\n    def m(self):\n        pass\n",
        encoding="utf-8",
    )
    facts = await DebugpyProfile().sources.examine_target(plan_of(path, python=SUPPORTED[version]))
    assert facts.problem is None
    assert facts.path == str(path)
    assert {1, 4, 7, 10, 14, 18, 19, 21, 22} <= set(facts.code_lines)
    assert not {2, 3, 5, 6, 17, 20, 23} & set(facts.code_lines)
    assert list(facts.code_lines) == sorted(set(facts.code_lines))


PRETENDED = "pretended"


@pytest.mark.sampled
@pytest.mark.parametrize("version", [PRETENDED, *map(name_of, TOO_OLD)])
async def test_an_interpreter_that_is_too_old_says_so(version: str, tmp_path: Path) -> None:
    """One is pretended, for machines without any."""
    if version == PRETENDED:
        python = tmp_path / "python"
        python.write_text("""#!/bin/sh\necho '{"version": [3, 7, 16], "path": "x"}'\n""")
        python.chmod(0o755)
        interpreter, number = str(python), "3.7.16"
    else:
        known = {name_of(v): (v, path) for v, path in TOO_OLD.items()}
        (major, minor), interpreter = known[version]
        number = f"{major}.{minor}."
    source = tmp_path / "source.py"
    source.write_text("print(f'{1}')\n", encoding="utf-8")
    facts = await DebugpyProfile().sources.examine_target(plan_of(source, python=interpreter))
    assert facts.problem is not None
    assert facts.problem.message.startswith(f"{interpreter} is Python {number}")
    assert facts.problem.message.endswith("; debugpy needs Python 3.8 or newer")


async def test_a_syntax_error_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text("x = 1\nif x == 1\n    print(x)\n", encoding="utf-8")
    facts = await DebugpyProfile().sources.examine_target(plan_of(path))
    problem = facts.problem
    assert problem is not None
    assert (problem.path, problem.line, problem.text) == (str(path), 2, "if x == 1\n")
    assert problem.message == "SyntaxError: expected ':'"
    assert problem.column == 10
    assert facts.code_lines == ()


@pytest.mark.full
async def test_the_interpreter_decides_what_compiles(tmp_path: Path) -> None:
    """Compiled by the one that will run it, not by tuidbg's."""
    path = tmp_path / "new.py"
    path.write_text("match 1:\n    case 1:\n        pass\n", encoding="utf-8")
    for version, python in SUPPORTED.items():
        facts = await DebugpyProfile().sources.examine_target(plan_of(path, python=python))
        assert (facts.problem is None) == (version >= (3, 10)), version


@pytest.mark.full
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"x = 1\n\0\n", "null bytes"),
        (b"x = '\xff'\n", "SyntaxError"),
        (b"# coding: klingon\n", "klingon"),
        (b"\xff\xfex\x00", ""),
        (b"  x = 1\n y = 2\n", "IndentationError"),
        (b"x = (" + b"(" * 300 + b"\n", ""),
        (b"x = 1" + b"+1" * 50_000 + b"\n", ""),
    ],
    ids=["null", "latin-1", "coding", "utf-16", "indent", "parentheses", "depth"],
)
async def test_sources_that_can_not_be_compiled(content: bytes, words: str, tmp_path: Path) -> None:
    """Always a sentence, never a traceback of the examination itself."""
    path = tmp_path / "wrong.py"
    path.write_bytes(content)
    facts = await DebugpyProfile().sources.examine_target(plan_of(path))
    assert facts.problem is not None
    assert words in facts.problem.message
    assert "no Python interpreter" not in facts.problem.message


@pytest.mark.parametrize(
    "content",
    [b"", b"\xef\xbb\xbfx = 1\n", b"# coding: latin-1\nx = '\xe4'\n", b"x = 1\r\ny = 2\r\n"],
)
async def test_sources_that_can(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "right.py"
    path.write_bytes(content)
    facts = await DebugpyProfile().sources.examine_target(plan_of(path))
    assert facts.problem is None


@pytest.mark.full
@pytest.mark.parametrize(
    ("module", "file"),
    [("pkg", "pkg/__main__.py"), ("pkg.inner", "pkg/inner.py"), ("test_case", "test_case.py")],
)
async def test_modules_are_found_without_running_anything(
    module: str, file: str, project: Path
) -> None:
    (project / "pkg" / "__init__.py").write_text("raise SystemExit('it ran')\n", encoding="utf-8")
    plan = plan_of(module, kind=TargetKind.MODULE, cwd=str(project))
    facts = await DebugpyProfile().sources.examine_target(plan)
    assert facts.problem is None
    assert os.path.realpath(facts.path) == os.path.realpath(project / file)
    assert facts.code_lines


@pytest.mark.full
async def test_modules_that_only_an_import_hook_knows(project: Path) -> None:
    """As those of editable installations."""
    hooks = project / "hooks"
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(
        "import importlib.machinery, importlib.util, sys\n"
        "class Finder:\n"
        "    @staticmethod\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        if name == 'hidden':\n"
        f"            place = {str(project / 'pkg')!r}\n"
        "            return importlib.util.spec_from_file_location(\n"
        "                name, place + '/__init__.py', submodule_search_locations=[place])\n"
        "sys.meta_path.append(Finder)\n",
        encoding="utf-8",
    )
    env = {"PYTHONPATH": str(hooks)}
    for module, file in (("hidden", "__main__.py"), ("hidden.inner", "inner.py")):
        plan = plan_of(module, kind=TargetKind.MODULE, cwd=str(project), env=env)
        facts = await DebugpyProfile().sources.examine_target(plan)
        assert facts.path == str(project / "pkg" / file)


async def test_a_module_that_is_not_there(project: Path) -> None:
    plan = plan_of("no.such.module", kind=TargetKind.MODULE, cwd=str(project))
    facts = await DebugpyProfile().sources.examine_target(plan)
    assert facts == SourceFacts()  # an import hook may know it all the same


@pytest.mark.full
async def test_examining_leaves_no_trace(project: Path) -> None:
    before = sorted(project.rglob("*"))
    await DebugpyProfile().sources.examine_target(
        plan_of("pkg", kind=TargetKind.MODULE, cwd=str(project))
    )
    await DebugpyProfile().sources.examine(
        plan_of(project / "x.py"), [str(project / "test_case.py")]
    )
    assert sorted(project.rglob("*")) == before


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("#!/no/such/shell\n", "can't run the interpreter"),
        (
            "#!/bin/sh\necho not json\n",
            "/python is no Python interpreter",
        ),
        ("#!/bin/sh\necho oops >&2; exit 3\n", "/python is no Python interpreter"),
        ('#!/bin/sh\nexec ls "$@"\n', "/python is no Python interpreter"),
        (
            "#!/bin/sh\necho Fatal Python error: no encoding >&2; exit 1\n",
            "is no Python interpreter that can be used: Fatal Python error: no encoding",
        ),
        ("#!/bin/sh\nkill -9 $$\n", "/python is no Python interpreter"),
        (None, "can't run the interpreter"),
    ],
)
async def test_interpreters_that_are_none(script: str | None, words: str, tmp_path: Path) -> None:
    python = tmp_path / "python"
    if script is not None:
        python.write_text(script)
        python.chmod(0o755)
    source = tmp_path / "source.py"
    source.write_text("x = 1\n", encoding="utf-8")
    facts = await DebugpyProfile().sources.examine_target(plan_of(source, python=str(python)))
    assert facts.problem is not None
    assert words in facts.problem.message
    assert facts.problem.message.endswith(words) or not words.startswith("/")
    assert str(python) in facts.problem.message


async def test_an_interpreter_that_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examine_module, "_TIMEOUT", 0.2)
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho $$ > pid\nexec sleep 60\n")
    python.chmod(0o755)
    source = tmp_path / "source.py"
    source.write_text("x = 1\n", encoding="utf-8")
    plan = plan_of(source, python=str(python))
    facts = await DebugpyProfile().sources.examine_target(plan)
    assert facts.problem is not None
    assert "gave no answer within 0.2 s" in facts.problem.message
    pid = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_an_examination_that_is_called_off_ends_its_process(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho $$ > pid.new; mv pid.new pid\nexec sleep 60\n")
    python.chmod(0o755)
    plan = plan_of(tmp_path / "source.py", python=str(python))
    examining = asyncio.create_task(DebugpyProfile().sources.examine_target(plan))
    pid = tmp_path / "pid"
    await until(pid.exists)
    examining.cancel()
    with pytest.raises(asyncio.CancelledError):
        await examining
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
