"""Key maps: in each of them every command can be reached, and no key means two things."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from string import ascii_lowercase

import pytest
from textual import events
from textual.binding import Binding

from tests.support.screens import Debugger, debugger, screen_rows
from tuidbg.session.model.state import Status
from tuidbg.tui.app.keys.command_line import EXTRA, Typed, names_of, read_typed
from tuidbg.tui.app.keys.commands import COMMANDS, DEFAULT_MAP
from tuidbg.tui.app.keys.keymaps import (
    _PDB,
    _VIM,
    _VSCODE,
    ABOUT,
    KEY_MAPS,
    KeyMapError,
    apply_own_keys,
    choose_key_map,
    find_key_map,
)
from tuidbg.tui.features.terminal.pane import encode_key
from tuidbg.tui.panes.breakpoints.breakpoints_pane import BreakpointsPane
from tuidbg.tui.panes.console.console_log import ConsoleLog
from tuidbg.tui.panes.console.console_pane import ConsolePane
from tuidbg.tui.panes.source.source_pane import SourcePane
from tuidbg.tui.panes.stack_pane import StackPane
from tuidbg.tui.panes.trace_pane import TracePane
from tuidbg.tui.panes.variables.variables_pane import VariablesPane
from tuidbg.tui.toolkit.drivers.input import TerminalInput
from tuidbg.tui.toolkit.keys.key_map import KeyMap, make_bindings, parse_key, show_key
from tuidbg.tui.toolkit.keys.key_reader import KeyKind, KeyReader, Meaning

MAPS = pytest.mark.parametrize("key_map", KEY_MAPS.values(), ids=lambda found: found.name)
PANES = (
    SourcePane,
    VariablesPane,
    StackPane,
    BreakpointsPane,
    ConsolePane,
    ConsoleLog,
    TracePane,
)


def keys_of(pane: type) -> set[str]:
    """The keys that a pane binds itself, those of the classes above it included."""
    found: set[str] = set()
    for kind in pane.__mro__:
        bindings = kind.__dict__.get("BINDINGS", ())
        found |= {binding.key for binding in Binding.make_bindings(bindings)}
    return found


def nothing(key: str) -> bool:
    return False


# Every command, every key


def test_the_maps_of_the_issue() -> None:
    assert list(KEY_MAPS) == ["default", "pdb", "vscode", "vim"]
    assert ABOUT.keys() == KEY_MAPS.keys()


def test_the_default_map_is_the_table_of_commands() -> None:
    assert KEY_MAPS["default"] is DEFAULT_MAP
    assert DEFAULT_MAP.keys == {command.name: command.keys for command in COMMANDS}
    by_key = {key: command.name for command in COMMANDS for key in command.keys}
    assert dict(DEFAULT_MAP.commands) == by_key
    assert not DEFAULT_MAP.motions and not DEFAULT_MAP.prefixes


@pytest.mark.parametrize("changes", [_PDB, _VSCODE, _VIM], ids=["pdb", "vscode", "vim"])
def test_maps_name_commands_that_exist(changes: dict[str, str]) -> None:
    assert changes.keys() <= DEFAULT_MAP.keys.keys()


@MAPS
def test_every_command_is_reachable(key_map: KeyMap) -> None:
    assert set(key_map.keys) == {command.name for command in COMMANDS}
    for command in COMMANDS:
        assert key_map.keys[command.name] or command.palette, command.name
    without = {name for name, keys in key_map.keys.items() if not keys}
    assert without == {name for name, keys in DEFAULT_MAP.keys.items() if not keys}
    assert {command.name for command in COMMANDS} <= set(names_of(key_map))


def told(press: str) -> bool:
    """Whether any terminal tells of this key: by the bytes that one of xterm's kind sends."""
    data = encode_key(press, None, None)
    reader = TerminalInput()
    read = [*reader.feed(data, 0.0), *reader.tick(100.0)]
    return [each.key for each in read if isinstance(each, events.Key)] == [press]


@MAPS
def test_every_command_has_a_key_that_all_terminals_send(key_map: KeyMap) -> None:
    for command, keys in key_map.keys.items():
        sent = [key for key in keys if all(told(press) for press in key.split(" "))]
        assert sent or not keys, (command, keys)


@MAPS
def test_no_key_means_two_things(key_map: KeyMap) -> None:
    keys = Counter(key for several in key_map.keys.values() for key in several)
    keys.update(key_map.motions.keys())
    assert [key for key, count in keys.items() if count > 1] == []
    assert not key_map.prefixes & keys.keys()


@MAPS
def test_every_key_gives_its_command(key_map: KeyMap) -> None:
    for command, several in key_map.keys.items():
        for key in several:
            assert read_all(KeyReader(key_map), key) == Meaning(KeyKind.COMMAND, command)


@MAPS
def test_what_a_pane_does_by_keys_of_its_own_can_be_done_in_every_map(key_map: KeyMap) -> None:
    for pane in PANES:
        own = keys_of(pane)
        for key in own:
            pressed = key
            if key_map.moves(key):
                pressed = f"alt+shift+{key.lower()}" if key.isupper() else f"alt+{key}"
            meaning = read_all(KeyReader(key_map), pressed, own)
            assert meaning == Meaning(KeyKind.PANE, key), (pane, key)


@MAPS
def test_keys_that_move_about_are_left_to_the_panes(key_map: KeyMap) -> None:
    moving = {"up", "down", "left", "right", "pageup", "pagedown", "home", "end", "enter", "escape"}
    assert not moving & key_map.commands.keys()


@MAPS
def test_single_keys_are_bound_on_the_screen(key_map: KeyMap) -> None:
    bound = {b.key: b.action for binding in make_bindings(key_map) for b in _split(binding)}
    single = {key: name for key, name in key_map.commands.items() if " " not in key}
    assert bound == {key: f"command('{name}')" for key, name in single.items()}


def _split(binding: Binding) -> list[Binding]:
    return list(Binding.make_bindings([binding]))


def read_all(reader: KeyReader, keys: str, own: set[str] | None = None) -> Meaning:
    meaning = Meaning(KeyKind.OTHER)
    for key in keys.split(" "):
        meaning = reader.read([key], (own or set()).__contains__)
    return meaning


# What each map is for


@pytest.mark.parametrize("letter", ascii_lowercase)
def test_letters_begin_a_line_in_pdbs_map(letter: str) -> None:
    key_map = KEY_MAPS["pdb"]
    assert letter not in key_map.commands
    assert read_all(KeyReader(key_map), letter) == Meaning(KeyKind.LINE, letter)
    assert key_map.commands["R"] == "restart"  # capitals are keys


@pytest.mark.parametrize(
    ("key", "command"),
    {
        "f5": "resume",
        "f9": "toggle_breakpoint",
        "f10": "step_over",
        "f11": "step_into",
        "shift+f11": "step_out",
        "shift+f5": "quit",
        "ctrl+shift+f5": "restart",
        "ctrl+f10": "run_to_cursor",
        "f6": "pause",
        "f12": "go_to_definition",
        "ctrl+g": "go_to_line",
        "n": "step_over",
        "e": "show_autopsy",
    }.items(),
)
def test_vscode_keys(key: str, command: str) -> None:
    assert KEY_MAPS["vscode"].commands[key] == command


@pytest.mark.parametrize(
    ("keys", "meaning"),
    {
        "j": Meaning(KeyKind.MOTION, "down"),
        "g g": Meaning(KeyKind.MOTION, "home"),
        "G": Meaning(KeyKind.MOTION, "end"),
        "ctrl+d": Meaning(KeyKind.MOTION, "half_page(1)|pagedown"),
        "z z": Meaning(KeyKind.MOTION, "centre|"),
        "n": Meaning(KeyKind.COMMAND, "search_next"),
        "N": Meaning(KeyKind.COMMAND, "search_previous"),
        "slash": Meaning(KeyKind.COMMAND, "search"),
        "colon": Meaning(KeyKind.COMMAND, "type_command"),
        "g d": Meaning(KeyKind.COMMAND, "go_to_definition"),
        "ctrl+w w": Meaning(KeyKind.COMMAND, "next_pane"),
        "g": Meaning(KeyKind.BEGUN, "g"),
        "g escape": Meaning(KeyKind.DROPPED),
        "g q": Meaning(KeyKind.DROPPED, "gq"),
        "c": Meaning(KeyKind.COMMAND, "resume"),
        "1 2": Meaning(KeyKind.BEGUN, "12"),
        "1 2 j": Meaning(KeyKind.MOTION, "down", 12),
        "1 0 k": Meaning(KeyKind.MOTION, "up", 10),
        "4 0 G": Meaning(KeyKind.MOTION, "end", 40),
        "4 0 g": Meaning(KeyKind.BEGUN, "40g"),
        "4 0 g g": Meaning(KeyKind.MOTION, "home", 40),
        "3 n": Meaning(KeyKind.COMMAND, "search_next", 3),
        "3 ctrl+d": Meaning(KeyKind.MOTION, "half_page(1)|pagedown", 3),
        "3 c": Meaning(KeyKind.DROPPED, "3c"),
        "3 escape": Meaning(KeyKind.DROPPED),
        "0": Meaning(KeyKind.COMMAND, "toggle_terminal"),
        "alt+2": Meaning(KeyKind.COMMAND, "focus_variables"),
    }.items(),
)
def test_vim_keys(keys: str, meaning: Meaning) -> None:
    assert read_all(KeyReader(KEY_MAPS["vim"]), keys) == meaning


def test_a_sequence_that_was_dropped_is_forgotten() -> None:
    reader = KeyReader(KEY_MAPS["vim"])
    read_all(reader, "g q")
    assert reader.read(["q"], nothing) == Meaning(KeyKind.COMMAND, "quit")
    reader.read(["g"], nothing)
    reader.forget()
    assert reader.read(["n"], nothing) == Meaning(KeyKind.COMMAND, "search_next")


@MAPS
def test_words_mean_commands(key_map: KeyMap) -> None:
    known = {command.name for command in COMMANDS} | set(EXTRA)
    assert set(key_map.words.values()) <= known


@pytest.mark.parametrize(
    ("text", "meant"),
    {
        "42": Typed("go_to_line", "42"),
        ":42": Typed("go_to_line", "42"),
        "e other.py": Typed("open_file", "other.py"),
        "noh": Typed("clear_search"),
        ":q!": Typed("quit"),
        ":qa!": Typed("quit"),
        "Step over": Typed("step_over"),
        "step-over": Typed("step_over"),
        "search total": Typed("search", "total"),
    }.items(),
)
def test_typed_in_vims_map(text: str, meant: Typed) -> None:
    assert read_typed(text, KEY_MAPS["vim"]) == meant


@pytest.mark.parametrize(
    ("text", "why"),
    {
        "stepover": "there is no command 'stepover'; step_over?",
        "xyzzy": "there is no command 'xyzzy'",
        "run_to_cursor here": "run_to_cursor takes the number of a line",
        "quit now": "quit takes nothing behind it",
    }.items(),
)
def test_what_is_no_command_is_said(text: str, why: str) -> None:
    with pytest.raises(ValueError) as raised:
        read_typed(text, DEFAULT_MAP)
    assert str(raised.value) == why


# The person's own keys


@pytest.mark.parametrize(
    ("text", "key"),
    {
        "n": "n",
        "B": "B",
        "F10": "f10",
        "Shift+F11": "shift+f11",
        "Ctrl+Shift+F5": "ctrl+shift+f5",
        "shift+ctrl+f5": "ctrl+shift+f5",
        "Ctrl+G": "ctrl+g",
        "Shift+b": "B",
        "?": "question_mark",
        "+": "plus",
        "Ctrl++": "ctrl+plus",
        "Ctrl+]": "ctrl+right_square_bracket",
        "Alt+Left": "alt+left",
        "Space": "space",
        "Esc": "escape",
        "gg": "g g",
        "g d": "g d",
        "Ctrl+W w": "ctrl+w w",
    }.items(),
)
def test_keys_as_people_write_them(text: str, key: str) -> None:
    assert parse_key(text) == key
    assert parse_key(show_key(key)) == key


@pytest.mark.parametrize("text", ["", "Hyper+x", "Ctrl+", "Ctrl+foo", "hello", "a\x1b"])
def test_what_is_no_key(text: str) -> None:
    with pytest.raises(ValueError):
        parse_key(text)


def test_own_keys_are_taken_from_what_had_them() -> None:
    made, problems = apply_own_keys(DEFAULT_MAP, {"step_over": ["s", "Ctrl+N"], "step-into": ["i"]})
    assert problems == []
    assert made.keys["step_over"] == ("s", "ctrl+n")
    assert made.keys["step_into"] == ("i",)
    assert made.keys["switch_input"] == ("alt+i",)  # it has lost its only one
    assert made.commands["s"] == "step_over" and "n" not in made.commands
    assert made.keys["resume"] == DEFAULT_MAP.keys["resume"]


def test_own_keys_go_before_sequences_that_begin_alike() -> None:
    made, problems = apply_own_keys(KEY_MAPS["vim"], {"go_to_line": ["g"], "restart": ["zr"]})
    assert problems == []
    assert made.commands["g"] == "go_to_line" and "g" not in made.prefixes
    assert made.keys["go_to_definition"] == ("ctrl+right_square_bracket",)
    assert "g g" not in made.motions
    assert made.commands["z r"] == "restart" and made.motions["z z"]


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ({"stepover": ["n"]}, "[keys] stepover: there is no such command; step_over is one."),
        ({"fly": ["n"]}, "[keys] fly: there is no such command."),
        ({"step_over": ["Hyper+n"]}, "[keys] step_over: 'Hyper+n' is no key."),
        (
            {"step_over": ["k"], "step_into": ["k"]},
            "[keys] step_into: k is given to step_over already.",
        ),
        ({"step_over": ["k"], "step_into": ["kk"]}, "[keys] step_into: kk and k begin alike."),
        ({"step_over": ["Esc"]}, "[keys] step_over: escape can't be changed; it leaves things."),
    ],
)
def test_what_makes_no_sense_is_told_and_left_out(wanted: dict[str, list[str]], why: str) -> None:
    made, problems = apply_own_keys(DEFAULT_MAP, wanted)
    assert problems == [why]
    assert made.commands["s"] == "step_into"


@pytest.mark.parametrize("wanted", [{"command_palette": []}, {"step_over": ["Ctrl+P"]}])
def test_the_palette_keeps_a_key(wanted: dict[str, list[str]]) -> None:
    made, problems = apply_own_keys(DEFAULT_MAP, wanted)
    assert made.keys["command_palette"] == ("ctrl+p",)
    assert len(problems) == 1


def test_which_map_it_is() -> None:
    assert choose_key_map("", "", "", {})[0].name == "default"
    assert choose_key_map("", "", "vim", {})[0].name == "vim"
    assert choose_key_map("", "pdb", "vim", {})[0].name == "pdb"
    assert choose_key_map("vscode", "pdb", "vim", {})[0].name == "vscode"
    made, problems = choose_key_map("", "emacs", "vim", {})
    assert made.name == "default"
    there = "there are: default, pdb, vscode, vim"
    assert problems == [f"[keys] map: There is no key map 'emacs'; {there}."]
    assert choose_key_map("", "", "gone", {})[1] == []
    with pytest.raises(KeyMapError, match="there are: default, pdb, vscode, vim"):
        choose_key_map("emacs", "", "", {})


def test_hints_name_the_keys_of_the_map() -> None:
    made, _ = apply_own_keys(DEFAULT_MAP, {"pause": ["F6"], "restart": []})
    over = DEFAULT_MAP.find("step_over")
    assert made.why_not(over, Status.RUNNING) == "the program is running; F6 pauses it"
    assert made.why_not(over, Status.TERMINATED) == "the program has ended"


# On the screen


async def key_bar(bench: Debugger) -> str:
    await bench.pilot.pause()
    return screen_rows(bench.app)[-1]


@pytest.mark.full
@pytest.mark.real
async def test_the_map_is_chosen_by_a_key(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        assert " o out" in await key_bar(bench)
        await bench.press("f7")
        assert "vim" in "\n".join(screen_rows(bench.app))
        await bench.press("2")
        assert bench.app.key_map.keys == find_key_map("pdb").keys
        assert "the keys are those of the map pdb" in bench.status
        assert bench.app.remembered.key_map == "pdb"
        assert " Shift+F11 out" in await key_bar(bench)
        assert " o out" not in await key_bar(bench)
        await bench.go("f10")
        assert bench.under_test.line > 1
        await bench.press("question_mark")
        assert "Help: pdb key map" in "\n".join(screen_rows(bench.app))


@pytest.mark.full
@pytest.mark.real
async def test_a_panes_own_key_is_had_with_alt(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        bench.app.set_key_map("pdb")
        source = bench.screen.source
        await bench.session.breakpoints.set(source.document.key, 22, origin="tui")  # type: ignore[union-attr]
        await bench.settled()
        await bench.press("4", "d", "escape")  # a line, here as everywhere
        assert len(list(bench.session.breakpoints.registry)) == 1
        await bench.press("alt+d")
        await bench.until(lambda: not list(bench.session.breakpoints.registry), "deleted")


@pytest.mark.full
@pytest.mark.real
async def test_in_a_line_alt_and_a_letter_move_by_words(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        line = bench.screen.console.line
        await bench.press("colon", *"one two")
        await bench.press("alt+b", "alt+b", *"x", "alt+f", *"y")
        assert line.value == "xone ytwo"


@pytest.mark.real
async def test_vim_moves_about(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        bench.app.set_key_map("vim")
        source = bench.screen.source
        await bench.press("j", "j", "k")
        assert source.cursor_line == 2
        await bench.press("G")
        assert source.cursor_line == source.line_count
        await bench.press("g")
        assert "g…" in bench.status
        await bench.press("g")
        assert source.cursor_line == 1
        await bench.press("g", "q")
        assert "gq is no command" in bench.status
        await bench.press("slash", *"weight", "enter")
        found = source.cursor_line
        await bench.press("n")
        assert source.cursor_line > found
        await bench.press("N")
        assert source.cursor_line == found
        await bench.press("colon", "3", "0", "enter")
        assert source.cursor_line == 30
        await bench.press("ctrl+u")
        assert source.cursor_line == 30 - source.size.height // 2
        await bench.press("z", "z")
        assert source.cursor_line - 1 - source.scroll_offset.y <= source.size.height // 2
        await bench.press("1", "2", "G", "5", "j")
        assert source.cursor_line == 17
        assert "…" not in bench.status
        await bench.press("2", "q")
        assert "2q is no command" in bench.status
        await bench.press("ctrl+w", "w")
        assert bench.screen.focused is bench.screen.variables
        await bench.press("j")
        assert bench.screen.variables.cursor == 1


@pytest.mark.real
async def test_typed_names_are_obeyed_and_wrong_ones_said(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("semicolon", *"xyzzy", "enter")
        assert "there is no command 'xyzzy'" in bench.status
        await bench.press("down")  # the keys are given back
        assert bench.screen.source.cursor_line == 2
        await bench.press("semicolon", "up")
        assert screen_rows(bench.app)[-2].startswith(" : xyzzy")
        await bench.press("escape", "semicolon", *"12", "enter")
        assert bench.screen.source.cursor_line == 12
        await bench.press("semicolon", *"pause", "enter")
        assert "Pause: the program is paused already" in bench.status
        before = bench.session.stop_id
        await bench.press("semicolon", *"step over", "enter")
        await bench.until(lambda: bench.session.stop_id > before, "the step")
        await bench.settled()
