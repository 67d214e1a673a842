"""Completion in bash, zsh and fish: each shell runs its script, and says what it offers for a line.

One process of a shell completes all lines of its test.
"""

from __future__ import annotations

import argparse
import importlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import environment
from tests.support.terminal import Terminal
from tests.support.waiting import PATIENCE
from tuidbg.cli.arguments import KEY_MAPS, THEMES, UsageError
from tuidbg.cli.command_table import COMMANDS
from tuidbg.cli.commands import completion
from tuidbg.cli.commands.completion import SHELLS, write_script
from tuidbg.cli.parser import make_parser
from tuidbg.cli.reference.specs import read_main
from tuidbg.manual.pages import TOPICS, read_page
from tuidbg.process.guardian import Guardian
from tuidbg.tui.app.keys import keymaps
from tuidbg.tui.toolkit.theme.theme import PREFIX, theme_names


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"there is no {shell} here")


def _options() -> Iterator[tuple[str, list[str]]]:
    """Yield each command with the names of all its options, from the parsers themselves."""
    yield "", _names(make_parser())
    for name, command in COMMANDS.items():
        if command.group:
            parser = importlib.import_module(command.module).make_parser()
            yield name, _names(parser)
            for action in parser._actions:
                if isinstance(action, argparse._SubParsersAction):
                    for inner, its_parser in action.choices.items():
                        yield f"{name} {inner}", _names(its_parser)


def _names(parser: argparse.ArgumentParser) -> list[str]:
    return [name for action in parser._actions for name in action.option_strings]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a script and a folder, to complete in."""
    (tmp_path / "script.py").touch()
    (tmp_path / "runs").mkdir()
    for shell in SHELLS:
        (tmp_path / f"tuidbg.{shell}").write_text(write_script(shell))
    return tmp_path


def _run(folder: Path, *words: str, text: str = "") -> str:
    ended = subprocess.run(
        words,
        cwd=folder,
        env={**environment(folder), "LC_ALL": "C.UTF-8"},
        input=text,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


OFFERED = {
    "tuidbg at": "attach",
    "tuidbg --plain at": "attach",
    "tuidbg --cwd x at": "",
    "tuidbg attach --p": "--pid --plain --python",
    "tuidbg --theme ": " ".join(sorted(THEMES)),
    "tuidbg --console i": "internal",
    "tuidbg -m json.tool --th": "",
    "tuidbg script.py --th": "",
    "tuidbg -- --th": "",
    "tuidbg help res": "rest restart",
    "tuidbg breakpoints ": "export import list",
    "tuidbg breakpoints export --j": "",
    "tuidbg web --host a --th": "--theme",
    "tuidbg web --host a script.py --th": "",
    "tuidbg completion ": "bash fish zsh",
    "tuidbg send --action set_": "set_breakpoint",
    "tuidbg attach ": "",
    "tuidbg run -- --": "",
}
"""What is offered for a line that is typed, in each shell."""


def test_themes_and_key_maps_are_those_there_are() -> None:
    assert sorted(THEMES) == sorted(name.removeprefix(PREFIX) for name in theme_names())
    assert tuple(keymaps.KEY_MAPS) == KEY_MAPS


def test_the_demo_and_each_command_are_described() -> None:
    commands = read_main().commands
    visible = {name for name, command in COMMANDS.items() if command.group}
    assert {each.name for each in commands} == visible | {"demo"}
    assert [each.name for each in commands if not each.summary or "/" in each.summary] == []
    web = next(each for each in commands if each.name == "web")
    names = {name for option in web.options for name in option.names}
    assert names >= {"--host", *_names(make_parser())} - {"--version"}


_BASH = """\
source ./tuidbg.bash
complete -p tuidbg
compopt() { reply=${*: -1}; }  # there is no readline to be told
while IFS= read -r line; do
    read -ra COMP_WORDS <<<"${line//=/ = }"
    [[ $line == *[\\ =] ]] && COMP_WORDS+=("")
    [[ $line == *= ]] && unset 'COMP_WORDS[-1]'
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) reply=''
    _tuidbg
    for each in "${COMPREPLY[@]}"; do printf '%s\\n' "$each"; done | sort | tr '\\n' ' '
    echo "|$reply"
done
COMP_WORDBREAKS=${COMP_WORDBREAKS//=/} COMP_WORDS=(tuidbg --theme=d) COMP_CWORD=1
_tuidbg
echo "${COMPREPLY[@]}"
unset -f compopt
enable -n compopt  # as in bash 3.2
COMP_WORDS=(tuidbg --core s) COMP_CWORD=2
_tuidbg
echo "${COMPREPLY[@]}"
"""


@needs("bash")
@pytest.mark.real
@pytest.mark.once
def test_bash(folder: Path) -> None:
    by_readline = {
        "tuidbg --core ": "default",
        "tuidbg --core=s": "default",
        "tuidbg --cwd ": "dirnames",
        "tuidbg run NAME ": "default",
        "tuidbg script.py ": "default",
        "tuidbg -m json.tool ": "default",
        "tuidbg --env ": "",
    }
    with_equals = {
        "tuidbg --theme=d": "dark",
        "tuidbg --theme=": " ".join(sorted(THEMES)),
        "tuidbg attach --adapter=debug": "debugpy",
    }
    options = {f"tuidbg {name} -".replace("  ", " "): names for name, names in _options()}
    lines = [*OFFERED, *with_equals, *by_readline, *options, "tuidbg ru"]
    told = _run(folder, "bash", "-c", _BASH, text="".join(f"{line}\n" for line in lines))
    registered, *answers, without_breaks, without_compopt = told.splitlines()
    assert registered == "complete -F _tuidbg tuidbg"
    assert (without_breaks, without_compopt) == ("--theme=dark", "script.py")
    split = (answer.partition("|") for answer in answers)
    found = {
        line: (words.strip(), how.strip())
        for line, (words, _, how) in zip(lines, split, strict=True)
    }
    wanted = OFFERED | with_equals
    assert {line: found[line][0] for line in wanted} == wanted
    assert {line: found[line] for line in by_readline} == {
        line: ("", how) for line, how in by_readline.items()
    }
    for line, names in options.items():
        assert set(names) <= set(found[line][0].split()), line
    assert found["tuidbg ru"] == ("run runs", "default")


@needs("fish")
@pytest.mark.real
@pytest.mark.once
def test_fish(folder: Path) -> None:
    files = {
        "tuidbg --core s": "script.py",
        "tuidbg --core=s": "--core=script.py",
        "tuidbg --record=s": "--record=script.py",
        "tuidbg --cwd r": "runs/",
        "tuidbg run NAME s": "script.py",
        "tuidbg script.py s": "script.py",
        "tuidbg ru": "run runs/",
    }
    options = {f"tuidbg {name} -".replace("  ", " "): names for name, names in _options()}
    lines = [*OFFERED, *files, *options]
    source = "source ./tuidbg.fish; while read -l line; complete -C $line; echo =; end"
    told = _run(folder, "fish", "--no-config", "-c", source, text="\n".join(lines) + "\n")
    answers = [
        [row.partition("\t") for row in answer.split("\n") if row] for answer in told.split("=\n")
    ]
    found = {
        line: " ".join(sorted({name for name, _, _ in rows}))
        for line, rows in zip(lines, answers[:-1], strict=True)
    }
    wanted = OFFERED | files
    assert {line: found[line] for line in wanted} == wanted
    for line, names in options.items():
        assert set(names) <= set(found[line].split()), line
    descriptions = {name: about for rows in answers for name, _, about in rows}
    assert descriptions["dark"] == "", "that of the option is the option's"
    assert descriptions["attach"] == COMMANDS["attach"].summary
    assert descriptions["rest"] == read_page("rest").summary


def _install(folder: Path) -> None:
    """Let a command ``tuidbg`` print the scripts."""
    command = folder / "bin" / "tuidbg"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\ncat "{folder}/tuidbg.$2"\n')
    command.chmod(0o755)


@needs("zsh")
@pytest.mark.real
@pytest.mark.once
def test_zsh_at_a_terminal(folder: Path) -> None:
    """The script is loaded as the manual says, by a function of the completion system."""
    _install(folder)
    (loader,) = re.findall(r"^    printf (.+) > ~/.zfunc/_tuidbg$", read_page("start").text, re.M)
    (folder / "functions").mkdir()
    setup = (
        f"PATH=$PWD/bin:$PATH; printf {loader} > functions/_tuidbg;"
        " PS1='> '; fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -D;"
        " bindkey '^I' expand-or-complete; setopt no_auto_menu; clear\n"
    )
    env = {**environment(folder), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    with Terminal(["zsh", "-f"], columns=120, rows=40, cwd=folder, env=env) as terminal:
        terminal.send(setup)
        terminal.wait_for(lambda text: text.strip() == ">")
        for typed, completed in {
            "tuidbg att\t--pi\t": "> tuidbg attach --pid",
            "tuidbg --the\tda\t": "> tuidbg --theme=dark",
            "tuidbg scr\t": "> tuidbg script.py",
            "tuidbg breakpoints exp\t--pro\tru\t": "> tuidbg breakpoints export --project=runs/",
            "tuidbg web --ho\tlocalhost --them\tda\t": "> tuidbg web --host=localhost --theme=dark",
            "tuidbg -m json.tool scr\t": "> tuidbg -m json.tool script.py",
        }.items():
            terminal.send(typed)
            terminal.wait_for(completed)
            terminal.send("\x15")
            terminal.wait_for(lambda text: text.strip() == ">")
        terminal.send("tuidbg help res\t\t")
        terminal.wait_for(read_page("rest").summary)
        assert read_page("restart").summary in terminal.text


@needs("bash")
@pytest.mark.real
@pytest.mark.once
def test_bash_at_a_terminal(folder: Path) -> None:
    """Files are readline's own, quotes and all, and a list of candidates has descriptions."""
    _install(folder)
    (loader,) = re.findall(r"^    echo '(eval .+)' > ", read_page("start").text, re.M)
    (folder / "two words.py").touch()
    env = {**environment(folder), "TERM": "xterm-256color", "PS1": "> "}
    shell = ["bash", "--norc", "--noprofile"]
    with Terminal(shell, columns=120, rows=40, cwd=folder, env=env) as terminal:
        terminal.send(f"PATH=$PWD/bin:$PATH; {loader}; clear\n")
        terminal.wait_for(lambda text: text.strip() == ">")
        for typed, completed in {
            "tuidbg att\t--pi\t": "> tuidbg attach --pid",
            "tuidbg --theme=da\t": "> tuidbg --theme=dark",
            "tuidbg two\t": "> tuidbg two\\ words.py",
            "tuidbg --core='two\t": "> tuidbg --core='two words.py'",
        }.items():
            terminal.send(typed)
            terminal.wait_for(completed)
            terminal.send("\x15")
            terminal.wait_for(lambda text: text.strip() == ">")
        terminal.send("tuidbg a\t\t")
        terminal.wait_for(f"adapters  ({COMMANDS['adapters'].summary})")


@pytest.mark.real
@pytest.mark.once
def test_the_command_needs_no_extra(folder: Path) -> None:
    """Completion of all commands is there where the packages of some are not."""
    missing = "mcp fastapi uvicorn starlette pydantic aiohttp textual_serve textual"
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({missing.split()!r}))\n"
        "from tuidbg.cli.main import run\n"
        "from tuidbg.process.guardian import Guardian\n"
        "sys.exit(run(sys.argv[1:], Guardian(0, -1)))"
    )
    told = _run(folder, sys.executable, "-c", code, "completion", "bash")
    assert told == (folder / "tuidbg.bash").read_text()


def test_an_unknown_shell_is_refused() -> None:
    with pytest.raises(UsageError, match=r"completion: .*invalid choice: 'csh'.*bash.*zsh.*fish"):
        completion.run_command(["csh"], Guardian(0, -1))


def test_each_topic_of_the_manual_is_offered() -> None:
    command = next(each for each in read_main().commands if each.name == "help")
    assert tuple(word.name for word in command.arguments[0].value.words) == TOPICS
