"""``[tool.tuidbg]`` of a project and the person's config file: what they may set, who wins."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tuidbg.cli.main import read_command_line
from tuidbg.config.launch import Console, LaunchPlan
from tuidbg.config.request import StartupRequest
from tuidbg.config.user_config import Defaults, find_defaults, read_project_defaults


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = tmp_path / "shop"
    (project / "src").mkdir(parents=True)
    (project / "app.py").touch()
    monkeypatch.chdir(project)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return project


def write_project(folder: Path, table: str) -> Path:
    (folder / "pyproject.toml").write_text(f'[project]\nname = "shop"\n\n{table}')
    return folder / "pyproject.toml"


def write_own(folder: Path, text: str) -> None:
    config = folder.parent / "config" / "tuidbg"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text(text)


def plan_of(request: StartupRequest) -> LaunchPlan:
    assert isinstance(request.plan, LaunchPlan)
    return request.plan


ALL = """[tool.tuidbg]
theme = "light"
console = "internal"
just_my_code = false
stop_on_entry = false
sub_process = false
redirect_output = true
django = true
jinja = true
cwd = "src"
"""


def test_a_project_sets_what_is_no_danger(folder: Path) -> None:
    write_project(folder, ALL)
    defaults, problems = read_project_defaults(folder / "src")
    assert problems == ()
    assert defaults == Defaults(
        theme="light",
        console=Console.INTERNAL,
        just_my_code=False,
        stop_on_entry=False,
        sub_process=False,
        redirect_output=True,
        django=True,
        jinja=True,
        cwd=str(folder / "src"),
    )


@pytest.mark.parametrize("form", ['[tool."tuidbg"]', "[ tool . tuidbg ]", "[tool]\ntuidbg"])
def test_the_table_in_other_forms(folder: Path, form: str) -> None:
    joined = "." if form.endswith("\ntuidbg") else "\n"
    write_project(folder, f"{form}{joined}jinja = true\n")
    assert read_project_defaults(folder)[0].jinja is True


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('python = "./evil"', "python: the interpreter"),
        ('env = {LD_PRELOAD = "./evil.so"}', "env: the environment"),
        ('keys = {map = "vim"}', "keys: the keys"),
    ],
)
def test_a_project_can_not_choose_what_is_run(folder: Path, line: str, what: str) -> None:
    file = write_project(folder, f"[tool.tuidbg]\n{line}\njinja = true\n")
    defaults, problems = read_project_defaults(folder)
    assert defaults == Defaults(jinja=True)
    assert problems == (
        f"{file}: [tool.tuidbg] {what} can't be chosen by a project; set it in your own"
        " config.toml, or on the command line.",
    )


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("[tool.tuidbg]\nx", "not valid TOML: "),
        ('[tool.tuidbg]\nthem = "x"', "[tool.tuidbg] there is no setting 'them'; theme is one."),
        ("[tool.tuidbg]\nzzz = 1", "[tool.tuidbg] there is no setting 'zzz'."),
        ("[tool.tuidbg]\njinja = 1", "[tool.tuidbg] jinja must be true or false."),
        ('[tool.tuidbg]\nconsole = "x"', 'console must be "terminal" or "internal".'),
        ('[tool.tuidbg]\ncwd = "/"', "cwd must be a folder in the project."),
        ('[tool.tuidbg]\ncwd = ".."', "cwd must be a folder in the project."),
        ('[tool.tuidbg]\ncwd = "nowhere"', "cwd must be a folder in the project."),
        ("[tool]\ntuidbg = 3", "[tool.tuidbg] must be a table."),
    ],
)
def test_what_is_wrong_is_told_with_file_and_key(folder: Path, table: str, why: str) -> None:
    file = write_project(folder, table + "\n")
    defaults, (problem,) = read_project_defaults(folder)
    assert defaults == Defaults()
    assert problem.startswith(f"{file}: ") and why in problem and problem.endswith(".")


def test_a_link_out_of_the_project_is_outside(folder: Path) -> None:
    (folder / "out").symlink_to(folder.parent)
    write_project(folder, '[tool.tuidbg]\ncwd = "out"\n')
    assert read_project_defaults(folder)[0].cwd == ""


def test_a_folder_without_a_pyproject(folder: Path) -> None:
    assert read_project_defaults(folder)[0] == Defaults()


def test_the_nearest_pyproject_counts(folder: Path) -> None:
    write_project(folder, "[tool.tuidbg]\njinja = true\n")
    (folder / "src" / "pyproject.toml").write_text('[project]\nname = "inner"\n')
    assert read_project_defaults(folder / "src")[0] == Defaults()


@pytest.mark.full
@pytest.mark.real
def test_without_the_table_tomllib_is_not_imported(folder: Path) -> None:
    write_project(folder, "[tool.other]\ntuidbg = 1\nname = 'tuidbg'\n".replace("tuidbg = 1\n", ""))
    code = (
        "import sys; from pathlib import Path\n"
        "from tuidbg.config.user_config import find_defaults\n"
        "find_defaults(Path.cwd()); print('tomllib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder)
    assert done.stdout == "False\n", done.stderr


# Who goes before whom


def test_the_project_goes_before_the_person(folder: Path) -> None:
    write_own(folder, 'just_my_code = false\nconsole = "internal"\nenv = {A = "1"}\n')
    write_project(folder, "[tool.tuidbg]\njust_my_code = true\nstop_on_entry = false\n")
    defaults, _ = find_defaults(folder)
    assert defaults == Defaults(
        just_my_code=True, stop_on_entry=False, console=Console.INTERNAL, env={"A": "1"}
    )


def test_defaults_reach_the_plan(folder: Path) -> None:
    write_own(folder, f'python = "{sys.executable}"\nenv = {{A = "1", B = "1"}}\n')
    write_project(folder, ALL)
    request = read_command_line(["--env", "B=2", "app.py"])
    plan = plan_of(request)
    assert (plan.console, plan.just_my_code, plan.stop_on_entry) == (
        Console.INTERNAL,
        False,
        False,
    )
    assert (plan.sub_process, plan.redirect_output, plan.django, plan.jinja) == (
        False,
        True,
        True,
        True,
    )
    assert plan.cwd == str(folder / "src") and plan.env == {"A": "1", "B": "2"}
    assert (plan.python, plan.python_from) == (sys.executable, "config.toml")
    assert request.default_theme == "light" and request.theme == ""
    assert plan.target == str(folder / "app.py")


def test_the_command_line_goes_before_all(folder: Path) -> None:
    write_project(folder, ALL)
    words = ["--stop-on-entry", "--just-my-code", "--console", "terminal", "--cwd", ".", "app.py"]
    plan = plan_of(read_command_line(words))
    assert plan.stop_on_entry and plan.just_my_code
    assert plan.console is Console.TERMINAL and plan.cwd == str(folder)


def test_nothing_set_is_what_is_built_in(folder: Path) -> None:
    plan = plan_of(read_command_line(["app.py"]))
    assert plan.stop_on_entry and plan.just_my_code and plan.sub_process
    assert plan.console is Console.TERMINAL and plan.env == {} and plan.cwd == str(folder)


def test_the_scripts_project_counts_not_the_current_folder(folder: Path) -> None:
    other = folder.parent / "other"
    other.mkdir()
    (other / "tool.py").touch()
    write_project(folder, "[tool.tuidbg]\nstop_on_entry = false\n")
    write_project(other, "[tool.tuidbg]\njust_my_code = false\n")
    plan = plan_of(read_command_line(["../other/tool.py"]))
    assert plan.stop_on_entry and not plan.just_my_code


def test_an_interpreter_that_is_not_there_is_told(folder: Path) -> None:
    write_own(folder, 'python = "/nowhere/python"\n')
    request = read_command_line(["app.py"])
    assert request.problems == ("config.toml: python: there is no interpreter /nowhere/python.",)
    assert plan_of(request).python != "/nowhere/python"


def test_the_demo_is_as_it_is(folder: Path) -> None:
    write_project(folder, ALL)
    plan = plan_of(read_command_line(["demo"]))
    assert plan.stop_on_entry and plan.console is Console.TERMINAL
