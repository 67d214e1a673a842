"""The person's config file: what it says, and what is said where it makes no sense."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuidbg.config.user_config import UserConfig, config_folder, load_user_config


def load(folder: Path, text: str) -> UserConfig:
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return load_user_config(folder)


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = config_folder()
    assert folder is not None and folder.name == "tuidbg"


def test_nothing_is_said_of_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert load_user_config(tmp_path / "nowhere") == UserConfig()
    assert load_user_config(None) == UserConfig()


def test_map_and_keys(tmp_path: Path) -> None:
    config = load(
        tmp_path, '[keys]\nmap = "vim"\nstep_over = ["n", "F10"]\nrestart = "ctrl+r"\nquit = []\n'
    )
    assert config.key_map == "vim"
    assert config.keys == {"step_over": ("n", "F10"), "restart": ("ctrl+r",), "quit": ()}
    assert config.problems == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[keys", "not valid TOML: "),
        ("keys = 3", "[keys] must be a table."),
        ('thema = "dark"', "there is no setting 'thema'; theme is one."),
        ("theme = 3", "theme must be a name."),
        ('console = "external"', 'console must be "terminal" or "internal".'),
        ("env = {A = 1}", 'env must be a table of texts, like {NAME = "value"}.'),
        ("just_my_code = 1", "just_my_code must be true or false."),
        ('cwd = "x"', "cwd is a project's to set, in [tool.tuidbg] of pyproject.toml."),
        ("[keys]\nmap = 3", "[keys] map must be a name."),
        ("[keys]\nquit = 3", '[keys] quit must be a list of keys, like ["n", "F10"].'),
        ("[keys]\nquit = [3]", '[keys] quit must be a list of keys, like ["n", "F10"].'),
    ],
)
def test_what_is_wrong_is_told_with_the_file(tmp_path: Path, text: str, why: str) -> None:
    config = load(tmp_path, text)
    (problem,) = config.problems
    assert problem.startswith(f"{tmp_path / 'config.toml'}: ")
    assert why in problem and problem.endswith(".")
    assert (config.key_map, config.keys) == ("", {})


def test_what_makes_sense_is_taken_all_the_same(tmp_path: Path) -> None:
    config = load(tmp_path, '[keys]\nmap = "pdb"\nquit = 3\nresume = "F5"\n[colours]\n')
    assert config.key_map == "pdb" and config.keys == {"resume": ("F5",)}
    assert len(config.problems) == 2


def test_a_file_that_is_no_text_or_no_file(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe")
    assert "it can't be read" in load_user_config(tmp_path).problems[0]
    folder = tmp_path / "other"
    (folder / "config.toml").mkdir(parents=True)
    assert "it can't be read" in load_user_config(folder).problems[0]
