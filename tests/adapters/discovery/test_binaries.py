"""Tests what an executable says of itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.native import PROGRAMS, compiled, needs_cc
from tuidbg.adapters.discovery.binaries import find_sources, read_binary


def elf(machine: int, kind: int = 2, *, big: bool = False) -> bytes:
    order = "big" if big else "little"
    head = b"\x7fELF" + bytes([2, 2 if big else 1]) + bytes(10)
    return head + kind.to_bytes(2, order) + machine.to_bytes(2, order)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("head", "arch", "is_core"),
    [
        (elf(62), "x86_64", False),
        (elf(183), "aarch64", False),
        (elf(22, big=True), "s390x", False),
        (elf(62, 4), "x86_64", True),
        (elf(9999), "", False),
        (b"\xcf\xfa\xed\xfe\x0c\x00\x00\x01" + bytes(12), "arm64", False),
    ],
)
def test_heads(head: bytes, arch: str, is_core: bool, tmp_path: Path) -> None:
    path = tmp_path / "binary"
    path.write_bytes(head)
    found = read_binary(path)
    assert found is not None and (found.arch, found.is_core) == (arch, is_core)
    assert found.triple.startswith(arch) and bool(found.triple) == bool(arch)


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", b"\x7fELF"])
def test_others(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert read_binary(path) is None and read_binary(tmp_path / "nothing") is None
    assert list(find_sources(path, "a.c")) == []


@pytest.mark.real
@needs_cc
def test_sources() -> None:
    binary, source = compiled("totals.c"), str(PROGRAMS / "totals.c")
    assert list(find_sources(binary, "totals.c")) == [source]
    assert list(find_sources(binary, "programs/totals.c")) == [source]
    assert list(find_sources(binary, "other/totals.c")) == []
    assert list(find_sources(binary, "otals.c")) == []
    assert list(find_sources(compiled("totals.c", "-g0"), "totals.c")) in ([], [source])


@pytest.mark.full
@pytest.mark.real
@needs_cc
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the files of Linux' compilers")
@pytest.mark.parametrize("version", ["-gdwarf-4", "-gdwarf-5"])
def test_sources_named_as_the_compiler_was_given_them(version: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    source = tmp_path / "sub" / "small.c"
    source.write_text("int main(void) { return 0; }\n")
    words = ["gcc", "-g", version, "-o", "small", os.path.join("sub", "small.c")]  # noqa: PTH118
    subprocess.run(words, cwd=tmp_path, check=True)
    assert list(find_sources(tmp_path / "small", "small.c")) == [str(source)]
