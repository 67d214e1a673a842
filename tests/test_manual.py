"""The manual: its pages are found, searched and shown, and what they say is true of this commit."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import tuidbg as package
from tests.session.forwarding.carried import CERTIFICATE
from tests.support.command import read_by_head, run_tuidbg
from tests.support.manual import MADE, with_made_part
from tests.support.terminal import Terminal
from tuidbg.api.mcp.tool_sets import TOOL_SETS
from tuidbg.api.options import read_serve_options
from tuidbg.cli import main as command_line
from tuidbg.cli import parser
from tuidbg.cli.arguments import UsageError
from tuidbg.cli.command_table import COMMANDS
from tuidbg.cli.commands import (
    adapters,
    breakpoints,
    completion,
    dap,
    help,
    join,
    man,
    mcp,
    run,
    send,
    web,
)
from tuidbg.cli.commands import open as open_command
from tuidbg.cli.commands.reach import attach, forward, listen
from tuidbg.config.user_config import load_user_config, read_table
from tuidbg.manual.pages import (
    FOLDER,
    GROUPS,
    TOPICS,
    NoSuchTopic,
    find_links,
    find_topic,
    list_topics,
    read_all,
    read_page,
    search,
)
from tuidbg.manual.rendering import LINK, render_page
from tuidbg.process.guardian import Guardian
from tuidbg.tui.toolkit.widgets.marks import GLYPHS, GutterMark

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
ALL = "\n".join(page.text for page in read_all())


# The pages


def test_every_file_is_a_topic() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == set(TOPICS)


@pytest.mark.parametrize("topic", TOPICS)
def test_a_page_says_what_it_is_about_and_leads_on(topic: str) -> None:
    page = read_page(topic)
    assert page.text.startswith(f"# {page.title}\n\n> {page.summary}\n\n")
    assert page.summary.endswith(".") and len(page.summary) < 100
    assert find_links(page), "it leads to no other page"
    assert max(map(len, page.text.splitlines())) < 400


def test_every_page_is_reached_from_others() -> None:
    linked = {topic for page in read_all() for topic in find_links(page) if topic != page.topic}
    assert linked >= set(TOPICS) - {"start", "performance", "plain", "browser", "restart"}


@pytest.mark.parametrize("topic", MADE)
def test_what_is_made_from_the_code_is_as_the_code_has_it(topic: str) -> None:
    """``uv run python -m tests.support.manual`` writes it."""
    assert (FOLDER / f"{topic}.md").read_text(encoding="utf-8") == with_made_part(topic)


def test_every_option_is_in_the_manual() -> None:
    actions = parser.make_parser()._actions
    options = {name for action in actions for name in action.option_strings}
    undocumented = {name for name in options if name not in read_page("start").text}
    assert undocumented <= {"-h", "--help", "--version"}


def test_every_command_is_in_the_manual() -> None:
    commands = {name for name in COMMANDS if not name.startswith("-")}
    assert {name for name in commands if f"tuidbg {name}" not in read_page("start").text} == set()


def test_every_mark_is_in_the_manual() -> None:
    table = read_page("keys").text.partition("## Marks")[2]
    assert {GLYPHS[mark] for mark in GutterMark} <= set(re.findall(r"`(.)`", table))


@pytest.mark.parametrize(("tool_set", "topic"), [("breakpoints", "agents"), ("lldb", "lldb-tools")])
def test_the_tables_of_tools_are_the_tools(tool_set: str, topic: str) -> None:
    text = read_page(topic).text
    shown = re.findall(r"^\| `(\w+)` \| (.+) \| (\w+) \|$", text, re.MULTILINE)
    tools = TOOL_SETS[tool_set]
    assert shown == [(tool.name, tool.description, tool.scope.value) for tool in tools]


# Finding


@pytest.mark.parametrize(
    ("asked", "topic"),
    [
        *((topic, topic) for topic in TOPICS),
        ("Breakpoints", "breakpoints"),
        ("break", "breakpoints"),
        ("launch.json", "launch-json"),
        ("launch json", "launch-json"),
        ("mcp", "agents"),
        ("rest.md", "rest"),
    ],
)
def test_a_topic_is_found_by_its_name_or_a_part_of_it(asked: str, topic: str) -> None:
    assert find_topic(asked) == topic


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("brekpoints", "the manual has no page 'brekpoints'; did you mean breakpoints?"),
        ("p", "the manual has no page 'p'; did you mean python or pytest or plain or program?"),
        ("qqqq", "the manual has no page 'qqqq'; `tuidbg help` lists those it has"),
    ],
)
def test_an_unknown_topic_is_refused_with_those_that_are_near(asked: str, told: str) -> None:
    with pytest.raises(NoSuchTopic, match=re.escape(told)):
        find_topic(asked)


def test_a_search_finds_sections_with_all_the_words() -> None:
    found = search("DELVE goroutines")
    assert {match.page.topic for match in found} == {"go"}
    assert search("breakpoints")[0].page.topic == "breakpoints"
    assert search("surely nowhere") == search("") == []
    for match in found:
        assert match.line in match.page.sections[match.section].text


@pytest.mark.sampled
@pytest.mark.parametrize("width", [40, 70, 100])
@pytest.mark.parametrize("topic", TOPICS)
def test_a_page_is_laid_out_in_any_width(topic: str, width: int) -> None:
    page = read_page(topic)
    rendered = render_page(page, width)
    lines = ["".join(segment.text for segment in line) for line in rendered.lines]
    assert all(len(line) <= width for line in lines)
    assert "\n".join(lines).count("…") == page.text.count("…"), "a cell is cut short"
    assert len(rendered.sections) == len(page.sections)
    for section, line in zip(page.sections, rendered.sections, strict=True):
        words = re.sub(r"[`*]", "", section.heading).split()
        assert lines[line].split()[0] == words[0]
    links = {
        segment.style.link.removeprefix(LINK)
        for line in rendered.lines
        for segment in line
        if segment.style and segment.style.link and segment.style.link.startswith(LINK)
    }
    assert links == set(find_links(page))


# ``tuidbg help``


def test_help_lists_the_topics(capsys: pytest.CaptureFixture[str]) -> None:
    assert help.run_command([], Guardian(0, -1)) == 0
    told = capsys.readouterr().out
    assert told.endswith(list_topics())
    assert re.findall(r"^(\S.*):$", told, re.MULTILINE)[-len(GROUPS) :] == list(GROUPS)
    assert re.findall(r"^  (\S+) ", told, re.MULTILINE) == list(TOPICS)
    assert max(map(len, told.splitlines())) <= 110


@pytest.mark.full
@pytest.mark.real
def test_the_topics_are_laid_out_at_a_terminal(tmp_path: Path) -> None:
    with run_tuidbg(tmp_path, "help", columns=60) as terminal:
        assert terminal.wait_exit(10) == 0
        lines = _written(terminal).splitlines()
    assert max(map(len, lines)) <= 60
    assert (
        "".join(lines).replace(" ", "").endswith(list_topics().replace(" ", "").replace("\n", ""))
    )


def test_help_prints_a_page_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert help.run_command(["launch", "json"], Guardian(0, -1)) == 0
    told = capsys.readouterr().out
    assert told == read_page("launch-json").text
    assert "\x1b" not in told and "<!--" not in told


def test_help_refuses_what_is_no_topic() -> None:
    with pytest.raises(UsageError, match=r"did you mean breakpoints\?"):
        help.run_command(["breakpiont"], Guardian(0, -1))


@pytest.mark.full
@pytest.mark.real
def test_help_may_be_read_in_part(tmp_path: Path) -> None:
    for words in ("help", "help breakpoints", "help performance"):
        assert len(read_by_head(tmp_path, words, 1)) == 1


def _written(terminal: Terminal) -> str:
    """All that the command has written to its terminal."""
    terminal.settle()
    return terminal.raw.decode()


@pytest.mark.full
@pytest.mark.real
def test_a_page_is_laid_out_at_a_terminal(tmp_path: Path) -> None:
    pager = {"PAGER": "cat", "TERM": "xterm-256color"}
    with run_tuidbg(tmp_path, "help", "rest", columns=80, env=pager) as terminal:
        assert terminal.wait_exit() == 0
        shown = _written(terminal)
    assert "\x1b[1" in shown and "See also" in shown and "](" not in shown
    pager = {"PAGER": "sed -n 3p", "TERM": "xterm-256color"}
    with run_tuidbg(tmp_path, "help", "rest", columns=80, env=pager) as terminal:
        assert terminal.wait_exit() == 0
        assert read_page("rest").summary in _written(terminal)
        assert "See also" not in _written(terminal)


@pytest.mark.full
@pytest.mark.real
def test_a_pager_that_is_missing_or_left_early_is_no_fault(tmp_path: Path) -> None:
    for pager, is_shown in (("no-such-pager", True), ("head -1", False), ("'", True)):
        with run_tuidbg(tmp_path, "help", "lldb-tools", env={"PAGER": pager}) as terminal:
            assert terminal.wait_exit() == 0
            assert ("See also" in _written(terminal)) is is_shown
            assert "Traceback" not in _written(terminal)


# Every command that stands in the pages can be typed


def _commands() -> list[str]:
    """Returns what stands in code and begins with ``tuidbg``: the words before two spaces."""
    texts = [README, *(page.text for page in read_all())]
    lines = [line for text in texts for line in re.findall(r"^    (tuidbg\b.*)$", text, re.M)]
    inline = [words for text in texts for words in re.findall(r"`(tuidbg [^`]+)`", text)]
    words = {re.split(r" {2,}| [<|] ", line)[0] for line in [*lines, *inline]}
    return sorted(words - _WITH_OPEN_ENDS)


_WITH_OPEN_ENDS = {
    "tuidbg attach --pid PID",
    "tuidbg attach 127.0.0.1:PORT",
    "tuidbg script.lua",  # an adapter that the page tells to write
    "tuidbg forward",
    "tuidbg listen",
    "tuidbg send",
    "tuidbg .",
    "tuidbg ./program ARGS",
    "tuidbg --core FILE [PROGRAM]",
    "tuidbg -- poetry run flask run",  # these need an environment of poetry's, or uv's
    "tuidbg -- uv run script.py",
}
"""Holds what can't be typed as it is; each is said elsewhere with a value."""

_PARSERS: dict[str, Callable[[list[str]], object]] = {
    "adapters": lambda words: adapters.make_parser().parse_args(words),
    "attach": lambda words: attach.make_parser().parse_args(words),
    "breakpoints": lambda words: breakpoints.make_parser().parse_args(words),
    "completion": lambda words: completion.make_parser().parse_args(words),
    "dap": lambda words: dap.make_parser().parse_args(words),
    "forward": lambda words: forward.read_forwarding(words),
    "help": lambda words: help.make_parser().parse_args(words),
    "join": lambda words: join.make_parser().parse_args(words),
    "listen": lambda words: listen.read_request(words),
    "man": lambda words: man.make_parser().parse_args(words),
    "mcp": lambda words: mcp.make_parser().parse_args(words),
    "open": lambda words: open_command.make_parser().parse_args(words),
    "run": lambda words: run.make_parser().parse_args(run._split(words)[0]),
    "send": lambda words: send.make_parser().parse_args(words),
    "serve": read_serve_options,
    "web": lambda words: command_line.read_command_line(web._read(words)[1]),
}


GO_SOURCES = {
    "main.go": "package main\n\nfunc main() {}\n",
    "store/put_test.go": 'package store\n\nimport "testing"\n\nfunc TestPut(t *testing.T) {}\n',
    "go.mod": "module shop\n",
}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the pages speak of, and a Python with commands."""
    for name in ("script.py", "other.py", "main.go", "go.mod", "store/put_test.go"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(GO_SOURCES.get(name, "\n"))
    for folder in ("cmd/server", "package"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "cmd/server/main.go").write_text(GO_SOURCES["main.go"])
    for program in ("program", "server"):
        (tmp_path / program).write_bytes(b"\x7fELF" + bytes(60))
    commands = tmp_path / "venv" / "bin"
    commands.mkdir(parents=True)
    for name in ("flask", "uvicorn", "pytest"):
        (commands / name).write_text(f"#!{commands}/python\n")
        (commands / name).chmod(0o755)
    (commands / "python").symlink_to("/bin/sh")
    (tmp_path / "venv" / "pyvenv.cfg").touch()
    (tmp_path / "token").write_text("word\n")
    for name in ("cert.pem", "key.pem"):
        (tmp_path / name).write_text(CERTIFICATE)
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "venv"))
    monkeypatch.setattr(command_line, "require_adapter", lambda name: None)
    monkeypatch.setattr(listen, "_try_port", lambda plan: None)  # somebody else may use it
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.sampled(6)
@pytest.mark.parametrize("command", _commands())
def test_a_command_can_be_typed(command: str, shop: Path) -> None:
    words = shlex.split(re.sub(r"[\[\]]", "", command))[1:]
    if words and words[0] in COMMANDS:
        _PARSERS[words[0]](words[1:])
    else:
        command_line.read_command_line(words)


# Code blocks (the tour of REST: test_tour.py; adapters of one's own: test_own_adapters.py)


def test_the_settings_are_taken_as_they_stand(tmp_path: Path) -> None:
    blocks = re.findall(r"(?:^    .*\n)+", read_page("settings").text, re.MULTILINE)
    keys, defaults = (tomllib.loads(re.sub("^    ", "", text, flags=re.M)) for text in blocks)
    assert read_table(defaults["tool"]["tuidbg"], "pyproject.toml")[1] == []
    (tmp_path / "config.toml").write_text(re.sub("^    ", "", blocks[0], flags=re.MULTILINE))
    config = load_user_config(tmp_path)
    assert config.problems == ()
    assert config.key_map == keys["keys"]["map"]


def test_every_code_block_is_run_by_some_test() -> None:
    """A new one needs one, too."""
    fences = {page.topic: re.findall(r"^```(\w+)$", page.text, re.MULTILINE) for page in read_all()}
    assert {topic: kinds for topic, kinds in fences.items() if kinds} == {
        "rest": ["sh"],
        "adapters": [*["toml"] * 5, "python", "python"],
    }


def test_what_a_program_calls_is_there() -> None:
    called = set(re.findall(r"tuidbg\.(\w+)\(", read_page("inside").text))
    assert called == {"breakpoint", "post_mortem", "install", "dump", "dump_uncaught"}
    assert all(callable(getattr(package, name)) for name in called)
