"""What is read of Rust programs without running them: names, types, panics, rustc's formatters."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuidbg.adapters.lldb.profile import LldbProfile
from tuidbg.adapters.lldb.rust import (
    STOP_AT_PANICS,
    PanicStops,
    demangled,
    formatter_commands,
    rust_type,
    short_type,
)

HASH = "::h0123456789abcdef"


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("shapes::main" + HASH, "shapes::main"),
        ("alloc::boxed::Box$LT$T$GT$::new_uninit" + HASH, "alloc::boxed::Box<T>::new_uninit"),
        (
            "_$LT$shapes..Parcel$u20$as$u20$core..fmt..Debug$GT$::fmt" + HASH,
            "<shapes::Parcel as core::fmt::Debug>::fmt",
        ),
        (
            "std::rt::lang_start::_$u7b$$u7b$closure$u7d$$u7d$" + HASH,
            "std::rt::lang_start::{{closure}}",
        ),
        ("_$LT$$RF$T$C$$BP$U$GT$::_own_name" + HASH, "<&T,*U>::_own_name"),
        ("box::area(int) const", "box::area(int) const"),
        ("h0123456789abcdef", "h0123456789abcdef"),
    ],
)
def test_names_of_functions_are_those_of_the_source(told: str, name: str) -> None:
    assert demangled(told) == name


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("alloc::vec::Vec<shapes::Parcel, alloc::alloc::Global>", "Vec<shapes::Parcel>"),
        (
            "std::collections::hash::map::HashMap<alloc::string::String, u32,"
            " std::hash::random::RandomState, alloc::alloc::Global>",
            "HashMap<String, u32>",
        ),
        ("core::option::Option<alloc::string::String>", "Option<String>"),
        ("std::vector<int, std::allocator<int> >", "std::vector<int, std::allocator<int> >"),
        ("alloc::string::String *", "alloc::string::String *"),  # values are set with it
        ("int", "int"),
    ],
)
def test_types_are_as_people_write_them(told: str, name: str) -> None:
    assert short_type(told) == name


def test_only_a_stop_at_the_own_breakpoint_is_a_panic() -> None:
    panics = PanicStops()
    assert not panics.read("Breakpoint 1: where = shapes`main + 4")  # of a command of the person's
    assert not panics.include([1]) and not panics.include([])
    assert panics.read(f"(lldb) {STOP_AT_PANICS}\n")
    assert panics.read("Breakpoint 2: no locations (pending).\n")
    warning = "WARNING:  Unable to resolve breakpoint to any actual locations.\n"
    assert panics.read(warning) and not panics.read(warning)  # the next one is the person's
    assert not panics.read("Breakpoint 3: where = shapes`main + 4")
    assert panics.include([2])
    assert not panics.include([2, 3]) and not panics.include([1])


@pytest.mark.sampled(2)
@pytest.mark.real
@pytest.mark.parametrize("says", ["echo {folder}", "exit 1", ""])
def test_formatters_are_loaded_only_where_they_are(
    says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    script = tmp_path / "rustc"
    script.write_text(f"#!/bin/sh\n{says.format(folder=tmp_path)}\n")
    script.chmod(0o755)
    formatter_commands.cache_clear()
    try:
        assert formatter_commands(str(tmp_path)) == ()
        folder = tmp_path / "lib" / "rustlib" / "etc"
        folder.mkdir(parents=True)
        (folder / "lldb_lookup.py").touch()
        (folder / "lldb_commands").touch()
        formatter_commands.cache_clear()
        commands = formatter_commands(str(tmp_path))
        assert bool(commands) == says.startswith("echo")
        assert all(str(folder) in command for command in commands[:2])
    finally:
        formatter_commands.cache_clear()


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("int", "i32"),
        ("unsigned long", "u64"),
        ("char", "i8"),
        ("char32_t", "char"),
        ("unsigned __int128", "u128"),
        ("BTreeMap<String, unsigned int>", "BTreeMap<String, u32>"),
        ("HashMap<unsigned char, Vec<long>>", "HashMap<u8, Vec<i64>>"),
        ("unsigned short[3]", "u16[3]"),
        ("(i32, char)", "(i32, char)"),
        ("Option<char>", "Option<char>"),
        ("short::Thing", "short::Thing"),
        ("shop::long", "shop::long"),
        ("Printer", "Printer"),
        ("int *", "int *"),
    ],
)
def test_numbers_have_rusts_names(told: str, name: str) -> None:
    assert rust_type(told) == name


def test_c_keeps_its_own_names() -> None:
    profile = LldbProfile()
    assert profile.values.type_name("unsigned int") == "unsigned int"
    profile.ending.read_output("console", f"(lldb) {STOP_AT_PANICS}")
    assert profile.values.type_name("unsigned int") == "u32"
