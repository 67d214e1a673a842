"""The man page (``man(7)``): one page for ``tuidbg`` and all its commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tuidbg import __version__
from tuidbg.cli.command_table import GROUPS, list_group
from tuidbg.cli.parser import EXAMPLES
from tuidbg.cli.reference.specs import CommandSpec, Option, OptionValue
from tuidbg.manual.pages import read_all


def write_man_page(main: CommandSpec) -> str:
    """Return the page as roff."""
    return "".join(f"{line}\n" for line in _lines(main))


def _lines(main: CommandSpec) -> Iterator[str]:
    yield f'.TH TUIDBG 1 "" "tuidbg {__version__}" "User Commands"'
    yield from (".SH NAME", "tuidbg \\- debugger for the terminal")
    yield ".SH SYNOPSIS"
    yield from _usages(main)
    yield from (".SH DESCRIPTION", _escape(main.description))
    yield ".PP"
    yield _escape("Everything after the name of the program belongs to the program.")
    yield ".SH EXAMPLES"
    for example, about in EXAMPLES.items():
        yield from (".TP", f"\\fB{_escape(example)}\\fR", _escape(about))
    yield ".SH OPTIONS"
    for option in main.options:
        yield from _option(option)
    by_name = {each.name: each for each in main.commands}
    for heading in GROUPS:
        yield f'.SH "{_escape(heading.upper())}"'
        for name, _ in list_group(heading):
            yield from _command(by_name[name], main)
    yield ".SH EXIT STATUS"
    yield _escape("2 for an invalid command line; the reason is one line on stderr.")
    yield ".SH MANUAL"
    yield _escape("`tuidbg help TOPIC` shows a page of the manual:")
    for page in read_all():
        yield from (".TP", f"\\fB{_escape(page.topic)}\\fR", _escape(page.summary))


def _command(command: CommandSpec, main: CommandSpec) -> Iterator[str]:
    yield f".SS {_escape(command.name)}"
    yield from _usages(command)
    yield ".PP"
    yield _escape(command.description or f"{command.summary[0].upper()}{command.summary[1:]}.")
    yield from _options(command, main)
    for each in command.commands:
        yield from (".PP", f"\\fBtuidbg {_escape(f'{command.name} {each.name}')}\\fR", ".br")
        yield _escape(f"{each.summary[0].upper()}{each.summary[1:]}.")
        yield from _options(each, main)
    if command.epilog:
        yield ".PP"
        yield from _epilog(command.epilog)


def _options(command: CommandSpec, main: CommandSpec) -> Iterator[str]:
    """Yield arguments and options; for those of ``tuidbg`` itself only the names."""
    for argument in command.arguments:
        if argument.about:
            yield from (".TP", f"\\fI{_escape(argument.value.name)}\\fR", _escape(argument.about))
    shared = [each for each in command.options if each in main.options]
    for option in command.options:
        if option not in shared:
            yield from _option(option)
    names = [each.names[-1] for each in shared if "--help" not in each.names]
    if names:
        yield from (".PP", _escape(f"As for `tuidbg` itself: {', '.join(names)}."))


def _option(option: Option) -> Iterator[str]:
    value = _value(option.value) if option.value is not None else ""
    names = ", ".join(f"\\fB{_escape(name)}\\fR" for name in option.names)
    yield from (".TP", f"{names}{value}", _escape(option.about))


def _value(value: OptionValue) -> str:
    """Return the value of an option in the form that follows its name."""
    name = f"\\fI{_escape(value.name)}\\fR"
    if value.is_closed:
        name = "|".join(f"\\fB{_escape(word.name)}\\fR" for word in value.words)
    return f"[={name}]" if value.is_optional else f" {name}"


def _usages(command: CommandSpec) -> Iterator[str]:
    for index, usage in enumerate(command.usage):
        if index:
            yield ".br"
        yield _escape(usage)


def _epilog(text: str) -> Iterator[str]:
    """Yield the text; indented lines are kept unchanged."""
    for part in re.split(r"\n\n+", text.strip("\n")):
        if part.startswith(" "):
            yield from (".PP", ".nf", *map(_escape, part.split("\n")), ".fi")
        else:
            yield _escape(" ".join(part.split()))


def _escape(text: str) -> str:
    """Escape a line for roff: it contains no requests, and its dashes can be copied."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    escaped = escaped.replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped
