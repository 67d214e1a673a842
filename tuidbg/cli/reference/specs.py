"""The commands, options and arguments of ``tuidbg``, read from its parsers.

A value completes by its name in the help (``FILE``, ``DIR``, ``PID``); a new name needs a row in
``_KINDS``.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from enum import Enum

import msgspec

from tuidbg.cli import parser as main_parser
from tuidbg.cli.arguments import KEY_MAPS, THEMES
from tuidbg.cli.command_table import COMMANDS, DEMO, GROUPS, list_group


class ValueKind(Enum):
    """The source of completions for a value."""

    TEXT = "text"
    """No completion: only the user knows the value."""
    FILES = "files"
    FOLDERS = "folders"
    HOSTS = "hosts"
    PROCESSES = "processes"
    WORDS = "words"


_KINDS = {
    **dict.fromkeys(("FILE", "PATH", "UDS", "[FILE:]LINE[ if EXPR]"), ValueKind.FILES),
    "DIR": ValueKind.FOLDERS,
    **dict.fromkeys(("HOST", "[USER@]HOST"), ValueKind.HOSTS),
    "PID": ValueKind.PROCESSES,
    **dict.fromkeys(
        (
            *("CMD", "DEBUGGER:PORT", "EXPRESSION", "K=V", "KEY=VALUE", "LINE", "LOCAL=REMOTE"),
            *("MODULE", "N", "NAME", "NAME:SCOPES[:redact|:secrets]", "PORT", "PORT|OPTIONS"),
            *("SECONDS", "SESSION", "TOKEN", "TOOL,TOOL", "[HOST:]PORT"),
        ),
        ValueKind.TEXT,
    ),
}
"""Kinds by value name, for values without fixed words."""


class Word(msgspec.Struct, frozen=True):
    """A value or subcommand that can be typed, and a description, which may be empty."""

    name: str
    about: str = ""


class OptionValue(msgspec.Struct, frozen=True):
    """The value of an option or an argument; one that may be omitted follows ``=``."""

    name: str
    kind: ValueKind
    words: tuple[Word, ...] = ()
    is_optional: bool = False
    is_closed: bool = False
    """Whether no other words are valid."""


class Option(msgspec.Struct, frozen=True):
    """An option with all its names; ``value`` is None for a flag."""

    names: tuple[str, ...]
    about: str
    value: OptionValue | None = None
    repeats: bool = False
    ends_options: bool = False
    """Whether all words after its value belong to the program (``-m MODULE``)."""

    @property
    def takes_next_word(self) -> bool:
        """Whether the word after it is its value."""
        return self.value is not None and not self.value.is_optional


class Argument(msgspec.Struct, frozen=True):
    """A word without a dash."""

    value: OptionValue
    about: str
    repeats: bool = False


class CommandSpec(msgspec.Struct, frozen=True):
    """A command; ``tuidbg`` itself has an empty ``name``."""

    name: str
    summary: str
    description: str
    usage: tuple[str, ...]
    epilog: str
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...]
    commands: tuple[CommandSpec, ...] = ()
    runs_program: bool = False
    """Whether the first word without a dash is a program, which takes all words after it."""


class CommandGroup(msgspec.Struct, frozen=True):
    """A heading with the commands below it."""

    heading: str
    commands: tuple[CommandSpec, ...]


def read_main() -> CommandSpec:
    """Return ``tuidbg`` itself with all commands below it, the demo as one of them."""
    spec = _read_parser(main_parser.make_parser(), "", main_parser.SENTENCE)
    commands = [command for group in read_groups(spec.options) for command in group.commands]
    return msgspec.structs.replace(
        spec,
        description=main_parser.SENTENCE,
        usage=main_parser.USAGES,
        commands=tuple(commands),
        runs_program=True,
    )


def read_groups(main_options: tuple[Option, ...]) -> tuple[CommandGroup, ...]:
    """Return the commands below the headings of ``tuidbg --help``."""
    return tuple(
        CommandGroup(
            heading, tuple(_read_command(name, main_options) for name, _ in list_group(heading))
        )
        for heading in GROUPS
    )


def _read_command(name: str, main_options: tuple[Option, ...]) -> CommandSpec:
    if name not in COMMANDS:  # the demo, which is a program
        usage = (f"tuidbg [OPTIONS] {DEMO.usage}",)
        return CommandSpec(name, DEMO.summary, "", usage, "", (), ())
    command = COMMANDS[name]
    make_parser: Callable[[], argparse.ArgumentParser]
    make_parser = importlib.import_module(command.module).make_parser
    spec = _read_parser(make_parser(), name, command.summary)
    if not command.runs_program:
        return spec
    known = {each.names for each in spec.options}
    further = (each for each in main_options if each.names not in known | {("--version",)})
    return msgspec.structs.replace(spec, options=(*spec.options, *further), runs_program=True)


def _read_parser(parser: argparse.ArgumentParser, name: str, summary: str) -> CommandSpec:
    options: list[Option] = []
    arguments: list[Argument] = []
    commands: list[CommandSpec] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {each.dest: each.help or "" for each in action._choices_actions}
            commands += [
                _read_parser(inner, each, helps.get(each, ""))
                for each, inner in action.choices.items()
            ]
        elif action.option_strings:
            options.append(_read_option(action))
        else:
            value = _read_value(action)
            arguments.append(Argument(value, action.help or "", repeats=action.nargs == "*"))
    words = [
        f"[{each.value.name}]" if each.value.is_optional else each.value.name for each in arguments
    ]
    if commands:
        words = ["COMMAND"]
    usage = parser.usage or " ".join([parser.prog, "[OPTIONS]", *words])
    return CommandSpec(
        name=name,
        summary=summary,
        description=parser.description or "",
        usage=tuple(line.strip() for line in usage.split("\n")),
        epilog=parser.epilog or "",
        options=tuple(options),
        arguments=tuple(arguments),
        commands=tuple(commands),
    )


def _read_option(action: argparse.Action) -> Option:
    return Option(
        names=tuple(action.option_strings),
        about=action.help or "",
        value=None if action.nargs == 0 else _read_value(action),
        repeats=isinstance(action, argparse._AppendAction),
        ends_options="-m" in action.option_strings,
    )


def _read_value(action: argparse.Action) -> OptionValue:
    """Read the name and completion of a value. Raises KeyError for an unknown name."""
    name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    words = tuple(Word(str(each)) for each in action.choices or ())
    for option in action.option_strings or [name]:
        if option in _WORDS:
            words = _WORDS[option]()
    return OptionValue(
        name=name,
        kind=ValueKind.WORDS if words else _KINDS[name],
        words=words,
        is_optional=action.nargs in ("?", "*"),
        is_closed=action.choices is not None,
    )


def _list_topics() -> tuple[Word, ...]:
    from tuidbg.manual.pages import read_all

    return tuple(Word(page.topic, page.summary) for page in read_all())


def _list_adapters() -> tuple[Word, ...]:
    from tuidbg.adapters.table import ADAPTERS, own_adapters

    return tuple(map(Word, (*ADAPTERS, *own_adapters())))


def _list_actions() -> tuple[Word, ...]:
    from tuidbg.api.bridge.actions import ACTIONS

    return tuple(map(Word, ACTIONS))


_WORDS: dict[str, Callable[[], tuple[Word, ...]]] = {
    "--action": _list_actions,
    "--adapter": _list_adapters,
    "--keys": lambda: tuple(map(Word, KEY_MAPS)),
    "--theme": lambda: tuple(map(Word, THEMES)),
    "TOPIC": _list_topics,
}
"""Fixed words of a value, by the option or by the name of the argument."""
