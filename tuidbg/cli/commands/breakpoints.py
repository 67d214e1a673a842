"""``tuidbg breakpoints``: a project's saved breakpoints, for scripts and repositories.

Plain text on stdout, one sentence on stderr and status 2 for errors. Nothing of the user interface
is imported. A tuidbg running meanwhile keeps its own breakpoints and merges its changes into the
imported ones.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from uuid import uuid4

import msgspec

from tuidbg.cli.arguments import Parser, UsageError
from tuidbg.config.files import read_source
from tuidbg.config.project import project_folder
from tuidbg.config.stores.breakpoint_store import (
    BreakpointFile,
    DocumentDamaged,
    Entries,
    ProjectStore,
    SavedBreakpoint,
    StoreError,
    from_entry,
    relative_path,
    to_entry,
)


def make_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="tuidbg breakpoints",
        description="The saved breakpoints of a project.",
        epilog="A project is the nearest folder upward with .git or pyproject.toml.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    show = commands.add_parser("list", help="print them", allow_abbrev=False)
    show.add_argument("--json", action="store_true", help="print them in their file form")
    export = commands.add_parser(
        "export", help="write them to a file that can be committed", allow_abbrev=False
    )
    export.add_argument("file", nargs="?", default="-", metavar="FILE", help="default: stdout")
    load = commands.add_parser("import", help="add those of a file", allow_abbrev=False)
    load.add_argument("file", metavar="FILE", help="- is stdin")
    for each in (show, export, load):
        each.add_argument("--project", metavar="DIR", help="default: the current one's project")
        each.add_argument("--group", metavar="NAME", help="only those of that group")
    return parser


def run_command(args: list[str], _guardian: object = None) -> int:
    """Run the subcommand; return the exit status. Raises UsageError."""
    options = make_parser().parse_args(args)
    try:
        store = ProjectStore(_project(options.project))
        match options.command:
            case "list":
                _write("-", _list(store, options.group, as_json=options.json))
            case "export":
                document = _read_current(store, options.group, for_others=True)
                _write(options.file, document.encode().decode())
            case "import":
                _import(store, options.file, options.group)
    except StoreError as error:
        raise UsageError(str(error)) from None
    except BrokenPipeError:
        raise  # for example under `| head`
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        raise UsageError(f"{error.strerror or error}{place}") from None
    return 0


def _project(asked: str | None) -> Path:
    if asked is None:
        return project_folder("", Path.cwd())
    folder = Path(os.path.abspath(Path(asked).expanduser()))
    if not folder.is_dir():
        raise UsageError(f"--project: {asked} is no directory")
    return folder


# List and export


def _list(store: ProjectStore, group: str | None, *, as_json: bool) -> str:
    document = _read_current(store, group, for_others=False)
    if as_json:
        return document.encode().decode()
    found = sorted(document.saved(store.project), key=lambda saved: (saved.path, saved.line))
    names = {saved.uuid: _place(saved, store.project) for saved in found}
    return "".join(_describe(saved, names) + "\n" for saved in found)


def _read_current(store: ProjectStore, group: str | None, *, for_others: bool) -> BreakpointFile:
    """Read the saved breakpoints, each moved to the present line of its code."""
    document, problem = store.read()
    _tell(problem)
    if for_others:
        document.fields["project"] = "."  # the path on this machine is private
    else:
        document.fields["project"] = str(store.project)
    if group is not None:
        document.unknown = []
    for uuid, entry in list(document.entries.items()):
        saved = from_entry(entry, store.project)
        if group is not None and (saved is None or saved.group != group):
            del document.entries[uuid]
        elif saved is not None:
            document.entries[uuid] = {**entry, **to_entry(_moved(saved), store.project)}
    outside = [e for e in document.entries.values() if str(e.get("path", "")).startswith("/")]
    if outside and for_others:
        _tell(f"{len(outside)} of them are outside of the project, by their full path")
    return document


def _moved(saved: SavedBreakpoint) -> SavedBreakpoint:
    """Move a breakpoint to its code's present line, if it still exists."""
    from tuidbg.session.core.feature import hooks

    if saved.anchor is None or not saved.path:
        return saved
    try:
        moved = hooks.line_anchors(read_source).relocate(saved.path, saved.anchor)
    except msgspec.ValidationError:
        return saved
    if moved is None:
        return saved
    line, anchor = moved
    return msgspec.structs.replace(saved, line=line, anchor=anchor)


def _place(saved: SavedBreakpoint, project: Path) -> str:
    match saved.kind:
        case "line":
            column = f":{saved.column}" if saved.column else ""
            return f"{relative_path(saved.path, project)}:{saved.line}{column}"
        case "function":
            return f"{saved.function}()"
        case "address":
            return f"address {saved.address or 0:#x}"
        case "data":
            return f"data {saved.data}"
        case "exception":
            return f"exception {(saved.exception or {}).get('type') or 'any'}"


def _describe(saved: SavedBreakpoint, names: dict[str, str]) -> str:
    """Describe a breakpoint in one line: the place, then its settings."""
    trigger = names.get(saved.trigger, "another breakpoint")
    words = [
        names[saved.uuid],
        "" if saved.enabled else "disabled",
        saved.condition and f"if {saved.condition}",
        saved.hit_condition and f"hits {saved.hit_condition}",
        f"ignore {saved.ignore_count}" if saved.ignore_count else "",
        "trace" if saved.trace else "",
        f"every {saved.every}" if saved.every else "",
        f"at most {saved.at_most}" if saved.at_most else "",
        saved.log_message and f"log {saved.log_message}",
        saved.trigger and f"after {trigger}",
        f"print {', '.join(saved.commands)}" if saved.commands else "",
        saved.group and f"group {saved.group}",
    ]
    return _printable("  ".join(filter(None, words)))


# Import


def _import(store: ProjectStore, name: str, group: str | None) -> None:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).expanduser().read_bytes()
        document = BreakpointFile.parse(data)
    except DocumentDamaged as error:
        raise UsageError(f"{name} holds no breakpoints: {error}") from None
    for entry in document.unknown:
        if isinstance(entry, dict) and "uuid" not in entry:  # written by hand
            entry["uuid"] = str(uuid4())
            document.entries[entry["uuid"]] = entry
    known, problem = store.read()
    _tell(problem)
    at_place = {saved.place: saved.uuid for saved in known.saved(store.project)}
    added: Entries = {}
    for uuid, entry in document.entries.items():
        saved = from_entry(entry, store.project)
        if group is not None and (saved is None or saved.group != group):
            continue
        if saved is not None and (sentence := _find_problem(saved)):
            raise UsageError(f"{name}: {saved.path or saved.function or saved.kind}: {sentence}")
        own = at_place.get(saved.place, uuid) if saved is not None else uuid
        added[own] = {**entry, "uuid": own}
    _tell(store.add(_with_own_triggers(added, document, at_place, store.project)))
    print(f"{len(added)} breakpoint{'' if len(added) == 1 else 's'} imported to {store.project}")


def _find_problem(saved: SavedBreakpoint) -> str:
    """Return why it could never stop, in a sentence; "" if it could."""
    from tuidbg.adapters.languages import PLAIN, PYTHON, language_of
    from tuidbg.session.core.breakpoints.store import BreakpointSettings, check_settings

    if saved.kind == "line" and saved.line < 1:
        return f"there is no line {saved.line}"
    settings: BreakpointSettings = {
        "condition": saved.condition,
        "hit_condition": saved.hit_condition,
        "ignore_count": saved.ignore_count,
        "log_message": saved.log_message,
        "every": saved.every,
        "at_most": saved.at_most,
        "column": saved.column,
        "commands": saved.commands,
    }
    language = language_of(saved.path, PYTHON if saved.path else PLAIN)
    problems = check_settings(settings, language)
    return next((f"{name}: {why}" for name, why in problems.items()), "")


def _with_own_triggers(
    added: Entries, document: BreakpointFile, at_place: dict[tuple[object, ...], str], project: Path
) -> Entries:
    """Redirect imported triggers to breakpoints that exist at the same places."""
    renamed = {
        uuid: at_place[saved.place]
        for uuid, entry in document.entries.items()
        if (saved := from_entry(entry, project)) is not None and saved.place in at_place
    }
    return {
        uuid: {**entry, "trigger": renamed.get(entry["trigger"], entry["trigger"])}
        if "trigger" in entry
        else entry
        for uuid, entry in added.items()
    }


def _write(name: str, text: str) -> None:
    if name == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        Path(name).expanduser().write_text(text, encoding="utf-8")


def _tell(sentence: str) -> None:
    if sentence:
        print(f"tuidbg: {_printable(sentence)}", file=sys.stderr)


def _printable(text: str) -> str:
    """Escape a text to one line: paths and conditions may contain anything."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
