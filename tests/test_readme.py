"""The README tells the truth of this commit, and is short enough to be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.drawing import badges, project_facts, wordmark
from tuidbg.manual.pages import FOLDER, GROUPS, TOPICS
from tuidbg.manual.project_page import find_repository, make_absolute, name_urls
from tuidbg.tui.app.keys.commands import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = ROOT / ".github" / "CONTRIBUTING.md"
TEXTS = [ROOT / "README.md", CONTRIBUTING, *(FOLDER / f"{topic}.md" for topic in TOPICS)]

_NAMED = re.compile(r"`((?:tuidbg|tests|themes|\.ci|\.github)/[\w./-]+|pyproject\.toml)`")
"""A file or a folder of the repository, named in code."""

_MADE_UP = {"tuidbg/adapters/lua.py"}
"""Names what an example tells to write."""


def test_it_can_be_read_in_a_few_minutes() -> None:
    assert README.count("\n") <= 200


def test_the_two_commands_are_there() -> None:
    assert "pip install uv && uv run tuidbg demo" in README
    assert "pip install uv && uv run pytest" in README


def test_it_leads_to_every_page_of_the_manual() -> None:
    linked = set(re.findall(r"\]\(tuidbg/manual/([\w-]+)\.md\)", README))
    assert linked == set(TOPICS)


def test_its_list_of_the_manual_has_the_groups_of_help() -> None:
    listed = README.partition("\n## The manual\n")[2]
    found = re.findall(r"^- ([\w ]+):((?:.|\n  )+)", listed, re.MULTILINE)
    assert {
        group: tuple(re.findall(r"manual/([\w-]+)\.md", links)) for group, links in found
    } == GROUPS


def test_its_ten_keys_are_keys() -> None:
    table = README.partition("## Ten keys")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ((?:`.+?` ?)+) \|", table, re.MULTILINE)
    assert len(rows) == 10
    keys = {key for command in COMMANDS for key in command.shown_keys.split(", ")}
    assert {key for row in rows for key in re.findall(r"`(.+?)`", row)} <= keys


def test_its_figures_are_those_of_the_manual() -> None:
    figures = (FOLDER / "performance.md").read_text(encoding="utf-8")
    told = {row[0]: row[1:4] for row in _rows(figures)}
    rows = [row for row in _rows(README) if len(row) == 4 and row[0] in told]
    assert len(rows) == 6
    for name, *cells in rows:
        assert cells == [cell.partition(" (")[0] for cell in told[name]], name


def _rows(text: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("| ") and not line.startswith(("|  |", "| | ", "| ---"))
    ]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_every_link_leads_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith(("http://", "https://")):
            assert (path.parent / target.partition("#")[0]).exists(), target


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_every_file_that_is_named_is_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    named = {name.rstrip("/") for name in _NAMED.findall(text)} - _MADE_UP
    missing = {name for name in named if not (ROOT / name).exists()}
    assert not missing


def test_the_pictures_hold_no_path_of_a_machine() -> None:
    pictures = {
        (path.parent / picture).resolve()
        for path in TEXTS
        for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", path.read_text(encoding="utf-8"))
    }
    assert pictures
    for picture in pictures:
        text = picture.read_text(encoding="utf-8")
        assert "/home/" not in text
        assert str(ROOT) not in text
        assert "http" not in text.replace("http://www.w3.org/", "")


def test_the_picture_that_moves_is_small_and_there_without_motion() -> None:
    path = ROOT / "screenshots" / "tour.svg"
    text = path.read_text(encoding="utf-8")
    shots = re.findall(r'<g class="turn" [^>]*>', text)
    assert len(shots) == 5
    assert ["hidden" in shot for shot in shots] == [False, *[True] * 4]
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert "animation:" not in style.partition("prefers-reduced-motion: no-preference")[0]
    assert path.stat().st_size < 400_000


def test_the_name_and_the_badges_are_as_they_are_drawn_and_told() -> None:
    facts = project_facts()
    drawn = {"badges": badges(facts), "wordmark": wordmark()}
    for name, svg in drawn.items():
        assert (ROOT / "screenshots" / f"{name}.svg").read_text(encoding="utf-8") == svg
    told = ", ".join(f"{name} {value}" for name, value in facts)
    assert f"![{told}](screenshots/badges.svg)" in README


def test_on_a_project_page_links_and_pictures_lead_to_the_repository_that_builds() -> None:
    repository = find_repository(
        {"GITHUB_SERVER_URL": "https://h", "GITHUB_REPOSITORY": "o/tuidbg"}
    )
    page = make_absolute(README, repository, "v1")
    targets = re.findall(r"\]\(([^)\s]+)\)", page)
    assert len(targets) == len(re.findall(r"\]\(([^)\s]+)\)", README))
    assert all(target.startswith("https://") for target in targets)
    assert "](https://h/o/tuidbg/raw/v1/screenshots/tour.svg)" in page
    assert "[launch.json](https://h/o/tuidbg/blob/v1/tuidbg/manual/launch-json.md)" in page
    assert name_urls(repository)["Source"] == "https://h/o/tuidbg"


def test_on_a_project_page_without_a_repository_nothing_leads_nowhere() -> None:
    page = make_absolute(README, find_repository({}), "HEAD")
    assert name_urls("") == {}
    assert page.startswith("# tuidbg\n\nA debugger") and "\n\n\n" not in page
    assert "![" not in page and "screenshots/" not in page
    assert all(target.startswith("https://") for target in re.findall(r"\]\(([^)\s]+)\)", page))
    assert "**Autopsy.**" in page


def test_the_journeys_lead_from_name_to_name() -> None:
    text = CONTRIBUTING.read_text(encoding="utf-8").partition("## Two journeys")[2]
    rows = re.findall(r"^\| `([\w./]+)` \| `(\w+)` \|", text.partition("\n## ")[0], re.MULTILINE)
    assert len(rows) >= 10
    for path, name in rows:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"\b(?:def|class) {name}\b|\"{name}\"", source), f"{path}: {name}"
