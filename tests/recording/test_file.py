"""Recordings as files: the same afterwards, small, without secrets, and refused when damaged."""

from __future__ import annotations

import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.recording.made import Made, counted
from tuidbg.recording.chunks import inflate
from tuidbg.recording.file import MAGIC, open_recording, write_recording
from tuidbg.recording.leaving.file import leave
from tuidbg.recording.leaving.secret_names import Secrecy, secrecy
from tuidbg.recording.segment import (
    ALL,
    LENGTH,
    RAISE,
    RAISED,
    UNBOUND,
    UNWIND,
    DamagedRecording,
    RecordedProgram,
    read_segment,
)
from tuidbg.recording.timeline import Timeline
from tuidbg.recording.values import ValuesAt, failure_at_end

PROGRAM = RecordedProgram(
    command=["python", "program.py"], python="3.13.0", at=1.5, ended="It ended."
)
MADE = counted(20, length=4)


def shown(timeline: Timeline) -> list[object]:
    """All that is seen at all moments."""
    found: list[object] = []
    for moment in timeline.moments():
        values = ValuesAt(timeline, moment.when)
        for frame in timeline.stack(moment):
            parts = values.variables(frame.owner)
            found.append((frame, {part.name: values.text(part.value) for part in parts}))
    return found


def written(made: Made = MADE) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.recording"
        write_recording(made.timeline, path, PROGRAM)
        assert [each.name for each in Path(folder).iterdir()] == ["a.recording"]
        return path.read_bytes()


def opened(data: bytes) -> list[object]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.recording"
        path.write_bytes(data)
        file = open_recording(path)
        try:
            return shown(file.timeline)
        finally:
            file.close()


WHOLE = written()


def test_all_is_as_it_was(tmp_path: Path) -> None:
    source = tmp_path / "other.py"
    write_recording(MADE.timeline, source, PROGRAM, sources={"/made/program.py": "x = 1\n"})
    file = open_recording(source)
    assert file.program == PROGRAM
    assert file.sources == {"/made/program.py": "x = 1\n"}
    assert shown(file.timeline) == shown(MADE.timeline)
    assert file.timeline.threads == {0: "MainThread"}
    again = tmp_path / "again"
    write_recording(file.timeline, again, PROGRAM)
    copied = open_recording(again)
    assert shown(copied.timeline) == shown(MADE.timeline)
    file.close()
    copied.close()


def test_what_gave_way_is_still_known_in_a_file(tmp_path: Path) -> None:
    made = counted(300, length=10, limit=4000)
    assert made.timeline.base.moments
    write_recording(made.timeline, tmp_path / "a", PROGRAM)
    file = open_recording(tmp_path / "a")
    assert shown(file.timeline) == shown(made.timeline)
    assert file.timeline.left_out.startswith("The first ")
    file.close()


def test_secrets_are_left_out(tmp_path: Path) -> None:
    made = Made()
    main = made.call("main", 10, password="hunter2")
    holder = made.object("i", "Credentials")
    made.change(holder, made.key("who"), "hunter3")
    inner = made.object("l", "list", ["hunter4"])
    made.change(holder, made.key("more"), [inner])
    table = made.object("d", "dict", [])
    made.change(table, made.key("api_token", "k"), "hunter5")
    made.change(table, made.key("user", "k"), "somebody")
    made.at(main, 11, token=[holder], headers=[table], alias=[holder])
    giver = made.call("get_password", 30, main)
    made.leave(giver, 30, "hunter6")
    made.leave(main, 12)
    timeline = made.cut()

    def is_secret(name: str) -> bool:
        return "password" in name or "token" in name

    write_recording(timeline, tmp_path / "a", PROGRAM, is_secret)
    file = open_recording(tmp_path / "a")
    texts = repr(shown(file.timeline))
    data = b"".join(
        zlib.decompress(file.timeline.chunks.packed(chunk)) for chunk in file.timeline.chunks.all
    )
    assert b"hunter" not in data
    assert "<redacted>" in texts
    assert "somebody" in texts
    file.close()


@pytest.mark.parametrize("is_left", [False, True])
def test_fields_of_named_tuples_are_left_out(tmp_path: Path, is_left: bool) -> None:
    """Whether recorded at once or item by item, with what is in them; the others are told."""
    made = Made()
    main = made.call("main", 10)
    inner = made.object("l", "list", ["hunter3"])
    fields = ["user", "password", "secrets"]
    login = made.object("t", "Login", ["ada", "hunter2", [inner]], fields)
    whole = made.object("t", "Login", fields=fields)
    made.change(whole, ALL, ["t", ["bob", "hunter4", [inner]]])
    made.change(whole, LENGTH, 3)
    made.at(main, 11, login=[login], whole=[whole], alias=[inner])
    timeline, path = made.cut(), tmp_path / "a"
    if is_left:
        chunks = timeline.chunks
        data = [inflate(chunks.packed(each), each.raw) for each in chunks.all]
        leave(str(path), lambda: data, {"command": ["x"]}, {})
    else:
        write_recording(timeline, path, PROGRAM, secrecy)
    file = open_recording(path)
    variables = shown(file.timeline)[-1][1]  # type: ignore[index]
    assert variables["login"] == "Login(user='ada', password=<redacted>, secrets=<redacted>)"
    assert variables["whole"] == "Login(user='bob', password=<redacted>, secrets=<redacted>)"
    kept = [zlib.decompress(file.timeline.chunks.packed(each)) for each in file.timeline.chunks.all]
    assert b"hunter" not in b"".join(kept)
    file.close()


def test_fields_are_left_out_of_what_is_gone(tmp_path: Path) -> None:
    """Of the oldest segments only the last values are kept, and those are hidden as well."""
    made = Made()
    main = made.call("main", 10)
    login = made.object("t", "Login", ["ada", "hunter2"], ["user", "password"])
    made.at(main, 11, login=[login])
    timeline = made.cut()
    chunk = timeline.chunks.all[0]
    timeline.base.fold(chunk, timeline.chunks.unpack(chunk))
    timeline.chunks.all.clear()
    write_recording(timeline, tmp_path / "a", PROGRAM, secrecy)
    file = open_recording(tmp_path / "a")
    assert "hunter2" not in repr(file.timeline.base.changes)
    assert "ada" in repr(file.timeline.base.changes)
    file.close()


@pytest.mark.parametrize("is_left", [False, True])
def test_what_is_hidden_keeps_its_type_and_tokens_of_a_parser_are_none(
    tmp_path: Path, is_left: bool
) -> None:
    made = Made()
    main = made.call("main", 10)
    words = made.object("l", "list", ["(", ["t", ["NAME", "x"]]])
    word = made.object("i", "Token")
    made.change(word, made.key("text"), "x")
    purse = made.object("i", "Purse")
    made.change(purse, made.key("gold"), "hunter3")
    key = made.object("a", "bytearray", list(b"hunter4"))
    made.at(main, 11, tokens=[words], token=[word], next_token=["t", ["NAME", "x"]])
    made.at(main, 12, access_token="hunter1", api_key=["b", "bytes", "b'hunter2'"], pwd=1234.5)
    made.at(main, 13, credentials=[purse], secretary="Ada", password=None, alias=[purse])
    made.at(main, 14, session_token=[key], other=[key])
    timeline, path = made.cut(), tmp_path / "a"
    if is_left:
        chunks = timeline.chunks
        data = [inflate(chunks.packed(each), each.raw) for each in chunks.all]
        leave(str(path), lambda: data, {"command": ["x"]}, {})
    else:
        write_recording(timeline, path, PROGRAM, secrecy)
    file = open_recording(path)
    variables = shown(file.timeline)[-1][1]  # type: ignore[index]
    assert variables == {
        "tokens": "['(', ('NAME', 'x')]",
        "token": "Token(text='x')",
        "next_token": "('NAME', 'x')",
        "access_token": "<redacted>",
        "api_key": "<redacted>",
        "pwd": "<redacted>",
        "credentials": "<redacted>",
        "secretary": "'Ada'",
        "password": "None",
        "alias": "Purse(gold=<redacted>)",
        "session_token": "<redacted>",
        "other": "<redacted>",
    }
    values = ValuesAt(file.timeline, file.timeline.now)
    types = {each.name: values.type_name(each.value) for each in values.variables(main)}
    hidden = ("access_token", "api_key", "pwd", "credentials", "session_token")
    assert [types[name] for name in hidden] == ["str", "bytes", "float", "Purse", "bytearray"]
    kept = [zlib.decompress(file.timeline.chunks.packed(each)) for each in file.timeline.chunks.all]
    assert b"hunter" not in b"".join(kept)
    assert str(list(b"hunter4")).encode() not in b"".join(kept)
    file.close()


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("password", Secrecy.WHOLE),
        ("userPassword2", Secrecy.WHOLE),
        ("dbpasswords", Secrecy.WHOLE),
        ("API_KEY", Secrecy.WHOLE),
        ("apiKeys", Secrecy.WHOLE),
        ("session_id", Secrecy.WHOLE),
        ("auth_tokens", Secrecy.WHOLE),
        ("cookies", Secrecy.WHOLE),
        ("token", Secrecy.PLAIN),
        ("authtoken", Secrecy.WHOLE),
        ("tokens", Secrecy.NONE),
        ("tokenizer", Secrecy.NONE),
        ("secretary", Secrecy.NONE),
        ("compass", Secrecy.NONE),
        ("author", Secrecy.NONE),
        ("key", Secrecy.NONE),
        ("monkey_id", Secrecy.NONE),
    ],
)
def test_secrets_are_known_by_whole_words(name: str, hidden: Secrecy) -> None:
    assert secrecy(name) == hidden


def hidden_dicts() -> Timeline:
    """A dict under a secret's name shares one of its keys with another that is none."""
    made = Made()
    main = made.call("main", 10)
    hidden = made.object("d", "dict", [])
    made.change(hidden, made.key("hunter1", "k"), 1)
    made.change(hidden, made.key("shared", "k"), 2)
    made.change(hidden, made.key("hunter2", "k"), 3)
    shown = made.object("d", "dict", [])
    made.change(shown, made.key("shared", "k"), 4)
    made.at(main, 11, secrets=[hidden], alias=[hidden], other=[shown])
    made.cut()
    made.change(hidden, made.key("hunter2", "k"), UNBOUND)
    made.change(hidden, made.key("hunter3", "k"), 5)
    made.at(main, 12)
    return made.cut()


@pytest.mark.parametrize("is_left", [False, True])
def test_the_keys_of_hidden_dicts_are_left_out(tmp_path: Path, is_left: bool) -> None:
    timeline, path = hidden_dicts(), tmp_path / "a"
    if is_left:
        chunks = timeline.chunks
        data = [inflate(chunks.packed(each), each.raw) for each in chunks.all]
        leave(str(path), lambda: data, {"command": ["x", "--token", "hunter9"]}, {})
    else:
        write_recording(timeline, path, PROGRAM, secrecy)
    file = open_recording(path)
    variables = shown(file.timeline)[-1][1]  # type: ignore[index]
    assert variables["alias"] == "{<redacted>: <redacted>}"
    assert variables["secrets"] == "<redacted>"
    assert variables["other"] == "{'shared': 4}"
    kept = [zlib.decompress(file.timeline.chunks.packed(each)) for each in file.timeline.chunks.all]
    assert b"hunter" not in b"".join(kept)
    assert "hunter" not in repr((file.timeline.keys, file.program))
    assert path.stat().st_mode & 0o777 == 0o600
    file.close()


def left() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        chunks = MADE.timeline.chunks
        data = [inflate(chunks.packed(each), each.raw) for each in chunks.all]
        leave(str(path), lambda: data, {"command": ["program"]}, {"/x.py": "x = 1"})
        return path.read_bytes()


LEFT = left()


def test_what_a_program_leaves_by_itself_is_as_it_was() -> None:
    assert opened(LEFT) == shown(MADE.timeline)


def test_names_of_files_may_be_no_text(tmp_path: Path) -> None:
    odd = "/x\udcff.py"
    leave(str(tmp_path / "a"), list, {"command": [odd]}, {odd: "x = 1"})
    file = open_recording(tmp_path / "a")
    assert (file.program.command, file.sources) == ([odd], {odd: "x = 1"})
    file.close()


@pytest.mark.full
@given(st.integers(0, len(LEFT) - 1), st.integers(0, 40), st.binary(max_size=40))
def test_other_bytes_left_by_a_program_are_refused_or_harmless(
    place: int, gone: int, new: bytes
) -> None:
    refused_or_read(LEFT[:place] + new + LEFT[place + gone :])


@given(st.integers(0, len(LEFT) - 1))
def test_a_cut_file_of_a_program_is_refused(size: int) -> None:
    with pytest.raises(DamagedRecording):
        opened(LEFT[:size])


@pytest.mark.full
@given(st.integers(0, len(WHOLE) - 1), st.integers(1, 255))
def test_a_changed_byte_is_refused_in_words_or_harmless(place: int, change: int) -> None:
    data = bytearray(WHOLE)
    data[place] ^= change
    refused_or_read(bytes(data))


@pytest.mark.full
@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 40), st.binary(max_size=40))
def test_other_bytes_are_refused_in_words_or_harmless(place: int, gone: int, new: bytes) -> None:
    refused_or_read(WHOLE[:place] + new + WHOLE[place + gone :])


@given(st.integers(0, len(WHOLE) - 1))
def test_a_cut_file_is_refused(size: int) -> None:
    with pytest.raises(DamagedRecording):
        opened(WHOLE[:size])


@given(st.binary(max_size=400))
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(DamagedRecording):
        opened(data)
    with pytest.raises(DamagedRecording):
        opened(MAGIC + data)


@given(st.binary(max_size=200))
def test_a_segment_of_anything_is_refused(data: bytes) -> None:
    with pytest.raises(DamagedRecording):
        read_segment(data)


def refused_or_read(data: bytes) -> None:
    try:
        opened(data)
    except DamagedRecording as error:
        assert len(str(error)) > 10


def with_index(packed: bytes, size: int) -> bytes:
    tail = len(packed).to_bytes(8, "little") + size.to_bytes(8, "little") + b"tuidbg end\n"
    return MAGIC + packed + tail


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"tuidbg recording 2\n" + WHOLE[len(MAGIC) :], "newer"),
        (b"GIF89a" * 10, "no recording"),
        (with_index(zlib.compress(b"\0" * 10_000_000), 1000), "as large"),
        (with_index(zlib.compress(b"\0" * 1000), 1 << 62), "as large"),
        (with_index(b"nothing packed", 10), "unpacked"),
        (with_index(zlib.compress(b"\x91" * 100_000), 100_000), "can't be read"),
        (with_index(zlib.compress(msgspec.msgpack.encode({"now": "x"})), 7), "can't be read"),
        (WHOLE[:-19] + b"\xff" * 8 + WHOLE[-11:], "as large"),
    ],
)
def test_hostile_files_are_refused_in_words(data: bytes, told: str) -> None:
    with pytest.raises(DamagedRecording, match=told):
        opened(data)


@pytest.mark.parametrize(
    "value",
    [
        {"a": 1},
        [],
        [1, 2],
        ["t", 5],
        ["t", [{}]],
        ["s", 1, 2],
        ["b", "x"],
        [True],
        [-1],
        ["t", [["t", [["t", [["t", [["t", [["t", [["t", [["t", [["t", []]]]]]]]]]]]]]]]]],
    ],
)
def test_values_of_no_kind_are_refused(value: object) -> None:
    made = Made()
    main = made.call("main", 10)
    made.at(main, 11, x=value)
    with pytest.raises(DamagedRecording, match="kinds that there are"):
        made.cut()


@pytest.mark.parametrize(
    ("error", "args", "line", "failed"),
    [
        ("TypeError", [3], 22, "TypeError"),
        ("SystemExit", [], 12, ""),
        ("SystemExit", [0], 12, ""),
        ("SystemExit", [3], 12, "exit code 3"),
        ("SystemExit", ["no"], 12, "exit code 1"),
        ("KeyboardInterrupt", [], 12, "exit code 130"),
    ],
)
def test_it_begins_where_an_error_that_nobody_caught_was_raised(
    error: str, args: list[object], line: int, failed: str
) -> None:
    made = Made()
    main = made.call("main", 12)
    add = made.call("add", 22, main)
    raised = [made.object("x", error)]
    made.change(raised[0], made.key("args"), ["t", args])
    for frame, at, kind in ((add, 22, RAISE), (add, 22, UNWIND), (main, 12, RAISE)):
        made.change(frame, RAISED, raised)
        made.at(frame, at, kind)
    made.change(main, RAISED, raised)
    made.at(main, 12, UNWIND)
    made.cut()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.recording"
        write_recording(made.timeline, path, PROGRAM)
        file = open_recording(path)
        place = file.place()
        assert failure_at_end(file.timeline) == failed
        file.close()
    assert place is not None
    assert place.line == line
