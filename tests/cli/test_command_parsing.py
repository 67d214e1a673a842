"""Commands as people type them into a shell, and the program that each comes down to."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tuidbg.cli.main import read_words
from tuidbg.config.launch import LaunchPlan, TargetKind

OTHER = Path(sys.prefix, "bin")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an environment that has a command, and a PATH with another one."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[project]\nname = "shop"\n')
    (folder / "app.py").write_text("print(1)\n")
    make_environment(folder / ".venv", serve="serve")
    elsewhere = tmp_path / "elsewhere"
    make_environment(elsewhere, other="other")
    (elsewhere / "bin" / "compiled").write_bytes(b"\x7fELF\2\1")
    (elsewhere / "bin" / "compiled").chmod(0o755)
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "UV_PROJECT_ENVIRONMENT", "PYENV_VERSION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{elsewhere / 'bin'}:/usr/bin:/bin")
    monkeypatch.chdir(folder)
    return folder


def make_environment(folder: Path, **commands: str) -> None:
    """A virtual environment as far as files go, with commands that are Python scripts."""
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\n")
    python = folder / "bin" / "python"
    python.symlink_to(sys.executable)
    (folder / "bin" / "python3").symlink_to("python")
    for name in commands:
        script = folder / "bin" / name
        script.write_text(f"#!{python}\nprint('{name}')\n")
        script.chmod(0o755)


def plan_of(line: str) -> LaunchPlan:
    plan = read_words(["--", *line.split()]).plan
    assert isinstance(plan, LaunchPlan)
    return plan


SCRIPT, MODULE = TargetKind.SCRIPT, TargetKind.MODULE
UNDERSTOOD: dict[str, tuple[TargetKind, str, tuple[str, ...], tuple[str, ...], str]] = {
    # what is run, its own words, the interpreter's words, and the interpreter's environment
    "app.py -x": (SCRIPT, "app.py", ("-x",), (), ".venv"),
    "serve --port 5": (SCRIPT, ".venv/bin/serve", ("--port", "5"), (), ".venv"),
    ".venv/bin/serve": (SCRIPT, ".venv/bin/serve", (), (), ".venv"),
    "other": (SCRIPT, "../elsewhere/bin/other", (), (), "../elsewhere"),
    "python app.py -u": (SCRIPT, "app.py", ("-u",), (), ".venv"),
    "python3 -X dev -W error -uB app.py": (
        SCRIPT, "app.py", (), ("-X", "dev", "-W", "error", "-uB"), ".venv",
    ),
    "python -Xdev -m shop.web -m x": (MODULE, "shop.web", ("-m", "x"), ("-Xdev",), ".venv"),
    "python -Imshop": (MODULE, "shop", (), ("-I",), ".venv"),
    "../elsewhere/bin/python -O app.py": (SCRIPT, "app.py", (), ("-O",), "../elsewhere"),
    "uv run app.py --fast": (SCRIPT, "app.py", ("--fast",), (), ".venv"),
    "uv run --frozen --extra web -- serve": (SCRIPT, ".venv/bin/serve", (), (), ".venv"),
    "uv run -m shop x": (MODULE, "shop", ("x",), (), ".venv"),
    "uv run python -O app.py": (SCRIPT, "app.py", (), ("-O",), ".venv"),
    "env A=1 B=x=y python app.py": (SCRIPT, "app.py", (), (), ".venv"),
}  # fmt: skip


@pytest.mark.parametrize("line", UNDERSTOOD)
def test_what_a_command_runs(line: str, project: Path) -> None:
    kind, target, args, python_args, environment = UNDERSTOOD[line]
    plan = plan_of(line)
    place = os.path.normpath(project / target) if kind is SCRIPT else target
    assert (plan.kind, plan.target, plan.args, plan.python_args) == (
        kind, place, args, python_args,
    )  # fmt: skip
    assert Path(plan.python).parent.parent == Path(os.path.normpath(project / environment))
    assert plan.env == ({"A": "1", "B": "x=y"} if line.startswith("env") else {})
    assert plan.is_command == (kind is SCRIPT and not target.endswith(".py"))


def test_why_it_is_that_interpreter_is_told() -> None:
    assert plan_of("app.py").python_from == "the project's environment"
    assert plan_of("other").python_from == "other's own"
    asked = read_words(["--python", sys.executable, "serve"]).plan
    assert isinstance(asked, LaunchPlan)
    assert (asked.python, asked.python_from) == (sys.executable, "--python")
    assert asked.target.endswith(".venv/bin/serve") or asked.target.endswith("bin/serve")


def test_a_file_of_that_name_remains_a_script(project: Path) -> None:
    (project / "serve").write_text("print('mine')\n")
    (project / "python").write_text("print('mine, too')\n")
    assert plan_of("serve").target == str(project / "serve")
    assert plan_of("python app.py").target == str(project / "python")


@pytest.mark.parametrize("head", ['\'\'\'exec\' "{}" "$0" "$@"', "'''exec' '{}' \"$0\" \"$@\""])
def test_a_shebang_that_was_too_long(head: str, project: Path) -> None:
    """As pip and uv write it where the path is long or has spaces."""
    spaced = project / "my env"
    make_environment(spaced)
    script = project / ".venv" / "bin" / "serve"
    line = head.format(spaced / "bin" / "python")
    script.write_text(f"#!/bin/sh\n{line}\n' '''\nprint('serve')\n")
    assert plan_of("serve").python == str(spaced / "bin" / "python")


REFUSED = {
    "nosuch": "there is no file nosuch",
    "nosuch.py": "there is no file nosuch.py",
    "python nosuch.py": "there is no file nosuch.py",
    "python": "name the script or -m MODULE that python runs",
    "python -m": "name the module after -m",
    "python -c print(1)": "put the code of -c into a file, which can be shown and stopped in",
    "python -i app.py": "leave out -i: the debugger's console takes its place",
    "python --nonsense app.py": "tuidbg doesn't know Python's option --nonsense",
    "python9.9 app.py": "there is no interpreter python9.9",
    "compiled": "compiled is a compiled program, not Python",
    "./run.sh": "./run.sh is a script of bash; debug the Python program that it starts",
    "env": "name what env runs",
    "env -i python app.py": "tuidbg doesn't know `env -i`; --env sets a variable",
    "uv sync": "tuidbg knows `uv run` only, not `uv sync`",
    "uv run": "name the script or -m MODULE that uv runs",
    "uv run --with rich app.py": "`uv run --with` makes an environment of its own; let it hold"
    " tuidbg, too: uv run --with ... --with tuidbg tuidbg SCRIPT",
    "uv run inline.py": "inline.py names its own dependencies: after `uv sync --script inline.py`"
    ' it is tuidbg --python "$(uv python find --script inline.py)" inline.py',
    "poetry run serve": "poetry has no environment for this project that tuidbg can find; `poetry"
    " install` makes it, or name one by --python",
    "pdm run serve": "tuidbg doesn't know what `pdm run` would take; name that environment by"
    " --python, and then what it runs",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_refused_and_how(line: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "run.sh").write_text("#!/usr/bin/env bash\npython app.py\n")
    (project / "inline.py").write_text("# /// script\n# dependencies = ['rich']\n# ///\n")
    if line.startswith("poetry"):
        monkeypatch.setenv("POETRY_CACHE_DIR", str(project / "none"))
        (project / ".venv").rename(project / "gone")
    with pytest.raises(ValueError) as raised:
        plan_of(line)
    assert str(raised.value) == REFUSED[line]


def test_uv_has_no_environment_yet(project: Path) -> None:
    (project / ".venv").rename(project / "gone")
    with pytest.raises(ValueError, match="`uv sync` makes it"):
        plan_of("uv run app.py")


def test_poetry_run_takes_poetrys_environment(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tuidbg.config.environments import _environment_name

    (project / ".venv").rename(project / "gone")
    cache = project / "cache"
    monkeypatch.setenv("POETRY_CACHE_DIR", str(cache))
    folder = cache / "virtualenvs" / f"{_environment_name(project)}-py3.11"
    make_environment(folder, serve="serve")
    plan = plan_of("poetry run serve x")
    assert (plan.target, plan.args) == (str(folder / "bin" / "serve"), ("x",))
    assert plan.python_from == "poetry's environment of the project"


def test_watch_needs_a_program() -> None:
    assert read_words(["--watch", "app.py"]).watch
    assert not read_words(["app.py"]).watch
    with pytest.raises(ValueError, match="name a SCRIPT"):
        read_words(["--watch"])


def test_given_options_are_kept_with_their_settings() -> None:
    words = ["--theme", "light", "--all-code", "--stop-on-entry", "--env", "A=1"]
    assert read_words([*words, "app.py"]).given == {
        "theme": "--theme light",
        "just_my_code": "--all-code",
        "stop_on_entry": "--stop-on-entry",
        "env": "--env",
    }
    assert read_words(["--console", "internal", "app.py"]).given == {
        "console": "--console internal"
    }
    assert read_words(["app.py"]).given == {}
