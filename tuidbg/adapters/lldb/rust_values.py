"""LLDB formatters of Rust's tree maps and sets, and of bytes; loaded after rustc's own.

rustc's formatters show the internals of a ``BTreeMap``. Its nodes have up to eleven entries; one
with children is a leaf followed by pointers, as they are ``repr(C)``. It runs in LLDB's own Python,
which can't import tuidbg.
"""

import importlib
from itertools import islice
from typing import Any

_MOST_IN_NODE = 11
_HIGHEST = 24
"""Maximum levels: more than fit into any memory."""
_LONGEST = 60
"""Maximum characters of a key used as the name of its entry."""

_TREE = "^alloc::([a-z_]+::)+BTree{}<.+>$"


def __lldb_init_module(debugger: Any, internal: Any) -> None:
    commands = [
        f'type synthetic add -l {__name__}.MapEntries -x "{_TREE.format("Map")}" -w tuidbg',
        f'type synthetic add -l {__name__}.SetEntries -x "{_TREE.format("Set")}" -w tuidbg',
        f'type summary add -F {__name__}.tell_size -e -x "{_TREE.format("(Map|Set)")}" -w tuidbg',
        "type format add -f decimal -w tuidbg char",
        'type format add -f "unsigned decimal" -w tuidbg "unsigned char"',
        "type category enable tuidbg",
    ]
    for command in commands:
        debugger.HandleCommand(command)


class _Tree:
    """A map's nodes in memory."""

    def __init__(self, tree: Any) -> None:
        tree = tree.GetNonSyntheticValue()
        self._process = tree.GetProcess()
        self._error = importlib.import_module("lldb").SBError()
        self._key, self._value = (tree.GetType().GetTemplateArgumentType(at) for at in (0, 1))
        self.size = tree.GetChildMemberWithName("length").GetValueAsUnsigned()
        top = tree.GetChildMemberWithName("root").GetNonSyntheticValue()
        for name in ("$variants$", "$variant$", "value", "__0"):
            top = top.GetChildMemberWithName(name).GetNonSyntheticValue()
        pointer = top.GetChildMemberWithName("node").GetNonSyntheticValue()
        pointer = pointer.GetChildMemberWithName("pointer").GetNonSyntheticValue()
        self._height = top.GetChildMemberWithName("height").GetValueAsUnsigned()
        self._top = pointer.GetValueAsUnsigned()
        leaf = pointer.GetType().GetPointeeType()
        fields = (leaf.GetFieldAtIndex(at) for at in range(leaf.GetNumberOfFields()))
        self._at = {field.GetName(): field.GetOffsetInBytes() for field in fields}
        self._word = pointer.GetByteSize()
        self._below = -(-leaf.GetByteSize() // max(1, self._word)) * self._word
        is_known = {"len", "keys", "vals"} <= self._at.keys() and self._height < _HIGHEST
        if not is_known or self._length(self._top) > _MOST_IN_NODE:  # unset, or being rebuilt
            self.size = 0

    def _read(self, address: int, size: int) -> int:
        """Read a number in memory; 0 if unreadable."""
        number = self._process.ReadUnsignedFromMemory(address, size, self._error)
        return int(number) if self._error.Success() else 0

    def _length(self, node: int) -> int:
        return self._read(node + self._at["len"], 2)

    def _entries(self, node: int, height: int) -> Any:
        length = min(self._length(node), _MOST_IN_NODE)
        for index in range(length + 1):
            if height:
                below = self._read(node + self._below + index * self._word, self._word)
                yield from self._entries(below, height - 1)
            if index < length:
                key = node + self._at["keys"] + index * self._key.GetByteSize()
                yield key, node + self._at["vals"] + index * self._value.GetByteSize()

    def entries(self) -> Any:
        """Yield the addresses of keys and values, in the order of the keys."""
        return islice(self._entries(self._top, self._height), self.size)

    def key(self, holder: Any, name: str, address: int) -> Any:
        return holder.CreateValueFromAddress(name, address, self._key)

    def value(self, holder: Any, name: str, address: int) -> Any:
        return holder.CreateValueFromAddress(name, address, self._value)


class _Entries:
    """LLDB's interface for synthetic children."""

    def __init__(self, value: Any, internal: Any) -> None:
        self._valobj = value
        self.update()

    def _tree(self) -> Any:
        raise NotImplementedError

    def update(self) -> bool:
        """Reset: the program has run."""
        self._map = _Tree(self._tree())
        self._coming = self._map.entries()
        self._found: list[tuple[int, int]] = []
        return False

    def has_children(self) -> bool:
        return True

    def num_children(self) -> int:
        return int(self._map.size)

    def get_child_index(self, name: str) -> int:
        return -1

    def _entry(self, index: int) -> tuple[int, int]:
        self._found += islice(self._coming, max(0, index + 1 - len(self._found)))
        return self._found[index]


class MapEntries(_Entries):
    """The values, each named by its key."""

    def _tree(self) -> Any:
        return self._valobj

    def get_child_at_index(self, index: int) -> Any:
        try:
            key, value = self._entry(index)
        except IndexError:
            return None
        name = text_of(self._map.key(self._valobj, "key", key))
        return self._map.value(self._valobj, f"[{name[:_LONGEST]}]", value)


class SetEntries(_Entries):
    """The members, numbered."""

    def _tree(self) -> Any:
        return self._valobj.GetNonSyntheticValue().GetChildMemberWithName("map")

    def get_child_at_index(self, index: int) -> Any:
        try:
            key, _ = self._entry(index)
        except IndexError:
            return None
        return self._map.key(self._valobj, f"[{index}]", key)


def text_of(value: Any) -> str:
    """Return a value on one line; a structure by its members."""
    if told := value.GetSummary() or value.GetValue():
        return str(told)
    parts = (value.GetChildAtIndex(at) for at in range(min(value.GetNumChildren(), 8)))
    return "{" + ", ".join(f"{part.GetName()}: {text_of(part)}" for part in parts) + "}"


def tell_size(value: Any, internal: Any) -> str:
    """Return the size in the words of rustc's formatters."""
    return f"size={value.GetNumChildren()}"
