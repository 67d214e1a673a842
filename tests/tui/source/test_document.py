"""Sources of every kind: encodings, line ends, bytes that no terminal should see."""

from __future__ import annotations

import os
import time
import zipfile
from pathlib import Path

import pytest
from rich.cells import cell_len

from tuidbg.tui.toolkit.text.document import (
    LONGEST_SHOWN,
    DocumentError,
    SourceDocument,
    decode_source,
    show_line,
)


def written(folder: Path, data: bytes, name: str = "program.py") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"x = '\xc3\xa9'\n", "x = 'é'\n", "utf-8"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n", "utf-8"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "# -*- coding: latin-1 -*-\nx = 'é'\n", "iso"),
        (b"#!/bin/py\n# vim: set fileencoding=cp1251 :\n# \xcf\n", None, "cp1251"),
        (b"# coding: no-such-codec\nx = '\xc3\xa9'\n", "# coding: no-such-codec\nx = 'é'\n", "utf"),
        (b"# coding: rot13\nk = 1\n", "# coding: rot13\nk = 1\n", "utf-8"),
        (b"# coding: ascii\nx = '\xe9'\n", "# coding: ascii\nx = 'é'\n", "latin-1"),
        (b"\xef\xbb\xbf# coding: latin-1\nx = '\xc3\xa9'\n", None, "utf-8"),
        (b"x = '\xe9\xff'\n", "x = 'éÿ'\n", "latin-1"),
        (b"", "", "utf-8"),
    ],
)
def test_sources_are_decoded_as_python_decodes_them(
    data: bytes, text: str | None, encoding: str
) -> None:
    decoded, used = decode_source(data)
    assert used.startswith(encoding)
    if text is not None:
        assert decoded == text


def test_cyrillic_source_reads_right() -> None:
    source = "# coding: cp1251\nname = 'Привет'\n"
    assert decode_source(source.encode("cp1251")) == (source, "cp1251")


def test_every_byte_string_can_be_decoded() -> None:
    decode_source(bytes(range(256)) * 4)
    decode_source(b"\xff\xfe\x00\x00")


def test_control_characters_become_visible() -> None:
    shown = show_line("a\x1b[31mb\x00\x7f\x9b\u202ec\ud800")
    assert shown.text == "a␛[31mb␀␡��c�"
    assert shown.position_of(0) == 0
    shown.text.encode()


def test_tabs_expand_to_stops_and_positions_follow() -> None:
    shown = show_line("\tif x:\ty")
    assert shown.text == "    if x:   y"
    assert [shown.position_of(raw) for raw in (0, 1, 6, 7, 8)] == [0, 4, 9, 12, 13]
    assert show_line("漢\tx").text == "漢  x"


def test_markup_stays_text() -> None:
    assert show_line("[bold]x[/bold]").text == "[bold]x[/bold]"


@pytest.mark.parametrize(
    "raw", ["👨‍👩‍👧 family", "❤️ x", "👍🏽", "漢字かな", "e\u0301", "שלום", "\u200bx", "🇩🇪", "نص"]
)
def test_shown_text_has_the_width_that_its_characters_add_up_to(raw: str) -> None:
    text = show_line(raw).text
    assert cell_len(text) == sum(cell_len(character) for character in text)


def test_long_lines_are_cut_and_counted() -> None:
    shown = show_line("x" * 1_000_000)
    assert len(shown.text) < LONGEST_SHOWN + 50
    assert shown.text.endswith("… 983,616 more characters")
    assert shown.position_of(999_999) <= len(shown.text)


def test_width_covers_every_line() -> None:
    document = SourceDocument.from_text("w", "ab\n\tabc\n漢字漢字\n" + "x" * 5)
    assert document.width >= 8
    assert SourceDocument.from_text("plain", "abc\na\n").width == 3
    assert SourceDocument.from_text("empty", "").width == 0


def test_a_file_is_loaded_and_its_change_noticed(tmp_path: Path) -> None:
    path = written(tmp_path, b"a = 1\r\nb = 2\r\n")
    document = SourceDocument.load(str(path))
    assert document.lines == ["a = 1", "b = 2"]
    assert document.key == str(path)
    assert document.name == "program.py"
    assert not document.has_changed_on_disk()

    path.write_bytes(b"a = 1\n")
    assert document.has_changed_on_disk()
    document.reload()
    assert document.lines == ["a = 1"]
    assert document.revision == 1
    assert not document.has_changed_on_disk()


def test_a_file_of_the_same_size_and_time_but_another_inode_has_changed(tmp_path: Path) -> None:
    path = written(tmp_path, b"a = 1\n")
    document = SourceDocument.load(path)
    other = written(tmp_path, b"a = 2\n", "other.py")
    os.utime(other, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    other.replace(path)
    assert document.has_changed_on_disk()


def test_a_file_that_is_gone_keeps_its_text(tmp_path: Path) -> None:
    path = written(tmp_path, b"a = 1\n")
    document = SourceDocument.load(path)
    path.unlink()
    assert not document.has_changed_on_disk()
    with pytest.raises(DocumentError, match="There is no file"):
        document.reload()
    assert document.lines == ["a = 1"]
    assert document.revision == 0


def test_what_is_no_readable_file_is_said_in_a_sentence(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, words in [
        (tmp_path / "missing.py", "There is no file"),
        (tmp_path, "is a directory"),
        (pipe, "is not a regular file"),
        (Path("nul\0name"), "can't be read"),
    ]:
        with pytest.raises(DocumentError, match=words) as raised:
            SourceDocument.load(path)
        assert str(raised.value).endswith(".")


def test_an_unreadable_file_is_said_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = written(tmp_path, b"a = 1\n")
    monkeypatch.setattr(Path, "open", refuse)  # root reads everything, so no chmod here
    with pytest.raises(DocumentError, match="permission denied"):
        SourceDocument.load(path)


def test_binary_files_are_shown_somehow(tmp_path: Path) -> None:
    document = SourceDocument.load(written(tmp_path, bytes(range(256)) * 100, "binary"))
    for number in range(1, len(document.lines) + 1):
        text = document.shown(number).text
        assert "\x1b" not in text and "\x00" not in text


def test_text_without_a_file_never_changes() -> None:
    document = SourceDocument.from_text("<frozen importlib>", "a\nb\n")
    assert document.path is None
    assert document.lines == ["a", "b"]
    assert not document.has_changed_on_disk()
    document.reload()
    assert document.lines == ["a", "b"]


def test_fifty_thousand_lines_load_quickly(tmp_path: Path) -> None:
    path = written(tmp_path, b"    value = compute(index, 'text')  # why\n" * 50_000)
    before = time.process_time()
    document = SourceDocument.load(path)
    assert document.width == 41
    assert time.process_time() - before < 0.5
    assert len(document.lines) == 50_000


def test_a_source_in_a_zip_is_shown_and_has_no_file(tmp_path: Path) -> None:
    path = tmp_path / "lib.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pack/work.py", "x = 'ä'\ny = 2\n")
    document = SourceDocument.load(str(path / "pack" / "work.py"))
    assert document.lines == ["x = 'ä'", "y = 2"]
    assert document.path is None
    with pytest.raises(DocumentError, match=r"lib\.zip has no none\.py"):
        SourceDocument.load(str(path / "none.py"))
