"""Looks at what the last line of a function may have changed.

For each line there is a function, made once, that does just what its plan says.
"""

from __future__ import annotations

import sys

from tuidbg.debuggee.recording.call_effects import (
    ALL_MAY_CHANGE,
    BUILTINS,
    FIRST_CHANGES,
    FIRST_IS_TAKEN,
    MUTATORS,
    MUTATORS_OF_ARRAYS,
    NOTHING_CHANGES,
    PLAIN_ITEMS,
    Unresolved,
)
from tuidbg.debuggee.recording.frame_variables import (
    get_reference_count,
    let_go,
    namespace_of,
    variables_of,
)
from tuidbg.debuggee.recording.line_plans import HAS_SNAPSHOTS
from tuidbg.debuggee.recording.recorded_calls import is_own_code
from tuidbg.debuggee.recording.recorder_state import MISSING, FunctionType, ModuleType
from tuidbg.debuggee.recording.source_plans import OPERATORS, variables_in, variables_of_path
from tuidbg.debuggee.recording.value_kinds import (
    GETSET,
    KINDS,
    KNOWN,
    LARGE,
    LEAF_IDS,
    MEMBER,
    MODULE_DICT,
    held,
    issubclass_plainly,
)
from tuidbg.debuggee.recording.value_looks import (
    DEQUE,
    attribute,
    effect_above,
    effect_of,
    effect_of_method,
    item,
    look_at,
    look_at_attribute,
    look_at_end,
    look_at_item,
    look_at_numbers,
    look_beside_views,
    look_everywhere,
    meet_kind,
    note_name,
    note_value,
    number_of,
    share_cells,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def resolve(path: Any, is_local: Any, names: Any, others: Any) -> Any:
    """What a path leads to."""
    name = path[0]
    value = names.get(name, MISSING) if is_local else MISSING
    if value is MISSING:
        value = others.get(name, MISSING)
        if value is MISSING:
            value = BUILTINS.get(name, MISSING)
            if value is MISSING:
                raise Unresolved
    for step in path[1:]:
        if type(step) is str:
            value = attribute(value, step)
        else:
            value = item(value, index_value(step[0], names, others))
    return value


def index_value(index: Any, names: Any, others: Any) -> Any:
    """A number or a text: the key of an item."""
    if len(index) == 1:
        return index[0]
    if index[0] != "":
        left, right = (index_value(each, names, others) for each in index[1:])
        if type(left) is not int or type(right) is not int:
            raise Unresolved
        if right == 0 and index[0] in ("FloorDiv", "Mod"):
            raise Unresolved
        return OPERATORS[index[0]](left, right)
    value = resolve(index[1:], True, names, others)
    if type(value) is not int and type(value) is not str:
        raise Unresolved
    return value


def look_of(plan: Any, info: Any) -> Any:
    """The function that looks behind a line: of a call, its frame, the moment and the columns."""
    stored = [(name, number_of(name)) for name in plan.names]
    others = [name for name in plan.globals if name not in plan.names]
    ops, is_all = ops_of(plan, info), plan.is_all
    is_simple = not (ops or is_all or others or plan.cells)
    is_simple = is_simple and info.has_own_names and not info.is_watched
    if len(stored) == 1 and is_simple:
        return look_at_one(*stored[0], info, plan)
    again = sorted(plan.again)
    cells, is_snapshot = plan.cells, HAS_SNAPSHOTS and info.has_own_names
    builds, makes = plan.builds, plan.makes
    is_direct = info.has_own_names and not info.is_watched

    def look(record: Any, frame: Any, when: int, columns: Any) -> None:
        names = frame.f_locals if is_direct else variables_of(frame, record)
        if not names and not info.has_own_names:
            return  # the body of a class shows nothing now
        if builds:
            columns.built = when
        if makes:
            columns.made = when
        may_be_all = is_all
        if ops and not is_all:
            space, last = frame.f_globals, record.last
            try:
                for op in ops:
                    if op(names, space, last, when, columns):
                        may_be_all = True
                        break
            except Unresolved:
                may_be_all = True
        last = record.last
        for name, key in stored:
            value = names.get(name, MISSING)
            if value is last.get(name, MISSING):
                continue
            note_value(record, name, key, value, when, columns)
        for name in again:
            value = names.get(name, MISSING)
            if value is MISSING:
                value = frame.f_globals.get(name, MISSING)
            if id(type(value)) not in LEAF_IDS:
                look_at(value, when, columns)
                look_beside_views(value, when, columns)
        if cells:
            share_cells(frame, cells, when, columns)
        if others:
            space = namespace_of(frame.f_globals)
            for name in others:
                note_name(space, name, frame.f_globals, when, columns)
        if may_be_all:
            look_everywhere(record, frame, names, when, columns)
        if is_snapshot and record.holds and get_reference_count(names) == 3:
            names.clear()

    return look


def look_at_one(name: Any, key: Any, info: Any, plan: Any) -> Any:
    """The function for a line that stores one variable, and does nothing else."""
    builds, makes, is_again = plan.builds, plan.makes, bool(plan.again)
    is_snapshot = HAS_SNAPSHOTS and info.has_own_names

    def look(record: Any, frame: Any, when: int, columns: Any) -> None:
        names = frame.f_locals
        value = names.get(name, MISSING)
        last = record.last
        if value is not last.get(name, MISSING):
            kind = type(value)
            if builds:
                columns.built = when
            if makes:
                columns.made = when
            if kind is float or (kind is int and -LARGE < value < LARGE):
                last[name] = value
                columns.whens.append(when)
                columns.owners.append(record.owner)
                columns.keys.append(key)
                columns.values.append(value)
            else:
                note_value(record, name, key, value, when, columns)
                if is_again and id(kind) not in LEAF_IDS:
                    look_at(value, when, columns)
                    look_beside_views(value, when, columns)
        if is_snapshot and record.holds and get_reference_count(names) == 3:
            del value
            names.clear()

    return look


def ops_of(plan: Any, info: Any) -> Any:
    """What a line changes besides its variables, as functions; true is that all may have."""
    ops, is_alone = [], sum(1 for op in plan.ops if op[0] == "call") == 1
    # What a default dict has made is met there before a method of it is.
    for op in sorted(plan.ops, key=lambda op: op[0] != "default"):
        if not info.has_own_names and op[1][0] in info.cells:
            ops.append(all_changes)  # the body of a class shows nothing of what is around it
        elif op[0] == "load":
            if not plan.replaced.isdisjoint(variables_of_path(op[1])):
                if len(op[1]) > 1:
                    ops.append(all_changes)
            else:
                ops.append(load_op(op[1], op[2], info))
        elif op[0] == "take":
            if op[1][0] not in plan.replaced:
                ops.append(take_op(op[1], info))
            else:
                ops.append(all_changes)
        elif op[0] == "super":
            ops.append(super_op(op[1], info))
        elif op[0] == "default":
            if op[1][0] not in plan.replaced:
                ops.append(default_op(op[1], info))
        elif op[0] == "call":
            ops.append(call_op(op[1], op[2], plan, info, is_alone))
        elif not plan.replaced.isdisjoint(variables_of_path(op[1])):
            ops.append(all_changes)
        elif op[0] == "attribute":
            ops.append(attribute_op(op[1], op[2], info))
        elif op[0] == "item" and not any(name in plan.replaced for name in variables_in(op[2])):
            ops.append(item_op(op[1], op[2], info))
        else:
            ops.append(value_op(op[1], info))
    return ops


def is_local(path: Any, info: Any) -> bool:
    return not info.has_own_names or path[0] in info.names


def all_changes(names: Any, others: Any, last: Any, when: int, columns: Any) -> bool:
    return True


def value_op(path: Any, info: Any) -> Any:
    is_own = is_local(path, info)

    def op(names: Any, others: Any, last: Any, when: int, columns: Any) -> None:
        value = resolve(path, is_own, names, others)
        look_at(value, when, columns)
        look_beside_views(value, when, columns)

    return op


def default_op(path: Any, info: Any) -> Any:
    is_own = is_local(path, info)

    def op(names: Any, others: Any, last: Any, when: int, columns: Any) -> bool:
        if DEFAULT is not None and id(DEFAULT) in KINDS:
            try:
                value = resolve(path, is_own, names, others)
            except Unresolved:
                return True
            if issubclass_plainly(type(value), DEFAULT):
                known = KNOWN.get(id(value))
                if known is not None and known.state.size == dict.__len__(value):
                    return False
                columns.made = when  # by reading what was missing
                look_at(value, when, columns)
        return False

    return op


def look_for_missing(plan: Any, info: Any) -> Any:
    """The function for a line that changes nothing before a call but default dicts."""
    ops = [default_op(op[1], info) for op in plan.ops if op[0] == "default"]

    def look(record: Any, frame: Any, when: int, columns: Any) -> None:
        if DEFAULT is None or id(DEFAULT) not in KINDS:
            return
        names = variables_of(frame, record)
        for op in ops:
            if op(names, frame.f_globals, record.last, when, columns):
                look_everywhere(record, frame, names, when, columns)
                break
        let_go(record, names)

    return look


DEFAULT = getattr(sys.modules.get("collections"), "defaultdict", None)


def attribute_op(path: Any, name: Any, info: Any) -> Any:
    is_own = is_local(path, info)
    name = sys.intern(name)

    def op(names: Any, others: Any, last: Any, when: int, columns: Any) -> None:
        value = resolve(path, is_own, names, others)
        if type(value) is ModuleType:
            look_at(value, when, columns)
        else:
            look_at_attribute(value, name, when, columns)
            look_beside_views(value, when, columns)

    return op


def load_op(path: Any, name: Any, info: Any) -> Any:
    """What reading an attribute changes: with ``functools.cached_property``, the object."""
    is_own = is_local(path, info)

    def op(names: Any, others: Any, last: Any, when: int, columns: Any) -> bool:
        value = resolve(path, is_own, names, others)
        kind = type(value)
        if kind is ModuleType or id(kind) in LEAF_IDS:
            return False
        about = KINDS.get(id(kind)) or meet_kind(kind)
        effect = about.effects.get((name,))
        if effect is None:
            effect = about.effects[(name,)] = effect_of_reading(kind, name)
        if effect == FIRST_CHANGES:
            look_at(value, when, columns)
        return bool(effect == ALL_MAY_CHANGE)

    return op


def effect_of_reading(kind: Any, name: Any) -> Any:
    found = held(kind, name)
    if found is None:
        getter = held(kind, "__getattr__")
        return NOTHING_CHANGES if getter is None else effect_of(getter)
    kind = type(found)
    if kind in (FunctionType, staticmethod, classmethod, MEMBER, GETSET, type(list.append)):
        return NOTHING_CHANGES
    if kind is property:
        return NOTHING_CHANGES if found.fget is None else effect_of(found.fget)
    if kind.__name__ == "cached_property":
        return FIRST_CHANGES
    return ALL_MAY_CHANGE if held(kind, "__get__") is not None else NOTHING_CHANGES


def take_op(path: Any, info: Any) -> Any:
    """What taking items changes: nothing where that calls nothing."""
    is_own = is_local(path, info)

    def op(names: Any, others: Any, last: Any, when: int, columns: Any) -> bool:
        return not is_plainly_taken(resolve(path, is_own, names, others))

    return op


GENERATORS = type((lambda: (yield))())


def is_plainly_taken(value: Any) -> Any:
    kind = type(value)
    if id(kind) in PLAIN_ITEMS or kind is DEQUE:
        return True
    if kind is GENERATORS:
        return is_own_code(value.gi_code)
    about = KINDS.get(id(kind)) or meet_kind(kind)
    if about.look is look_at_numbers and not about.is_own:
        return True
    return about.is_own and type(held(kind, "__iter__")) is FunctionType


def item_op(path: Any, index: Any, info: Any) -> Any:
    is_own, is_constant = is_local(path, info), len(index) == 1
    index_path = index[1:]
    is_path, is_own_index = index[0] == "", not is_constant and is_local(index_path, info)

    def op(names: Any, others: Any, last: Any, when: int, columns: Any) -> bool:
        value = resolve(path, is_own, names, others)
        if is_constant:
            at = index[0]
        elif is_path:
            at = resolve(index_path, is_own_index, names, others)
        else:
            at = index_value(index, names, others)
        look_at_item(value, at, when, columns)
        look_beside_views(value, when, columns)
        return False

    return op


def call_op(path: Any, argument: Any, plan: Any, info: Any, is_alone: Any) -> Any:
    is_own, owner_path, name = is_local(path, info), path[:-1], path[-1]
    is_replaced = not plan.replaced.isdisjoint(variables_of_path(path))
    if path == ("",) or path[0] == "":
        return nothing_changes

    def take_effect(effect: Any, names: Any, others: Any, when: int, columns: Any) -> bool:
        if effect == FIRST_CHANGES and argument is not None and argument[0] not in plan.replaced:
            value = resolve(argument, is_local(argument, info), names, others)
            look_at(value, when, columns)
            return False
        if effect == FIRST_IS_TAKEN:
            if argument is None or argument == ("",):
                return argument is None
            if argument[0] in plan.replaced:
                return True
            return not is_plainly_taken(resolve(argument, is_local(argument, info), names, others))
        return bool(effect != NOTHING_CHANGES)

    def function_op(names: Any, others: Any, last: Any, when: int, columns: Any) -> bool:
        if is_replaced:
            return True
        effect = effect_of(resolve(path, is_own, names, others))
        if effect == NOTHING_CHANGES:
            return False
        return take_effect(effect, names, others, when, columns)

    def method_op(names: Any, others: Any, last: Any, when: int, columns: Any) -> Any:
        if is_replaced:  # only its former value would show it
            before = last.get(path[0], MISSING)
            return plan.is_loop or type(before) is list or before is MISSING or len(path) > 2
        owner = resolve(owner_path, is_own, names, others)
        kind = type(owner)
        if kind is list:
            if name == "append" and is_alone:
                look_at_end(owner, when, columns)
            elif name in MUTATORS[id(list)]:
                look_at(owner, when, columns)
            return False
        if kind is set and name == "add" and is_alone:
            known = KNOWN.get(id(owner))
            if known is None or known.state.size != set.__len__(owner):
                look_at(owner, when, columns)
            return False
        mutators = MUTATORS.get(id(kind))
        about = KINDS.get(id(kind))
        if mutators is None and about is not None and kind is about.base:
            mutators = MUTATORS_OF_ARRAYS
        if mutators is not None:
            if name in mutators:
                look_at(owner, when, columns)
                look_beside_views(owner, when, columns)
            return False
        if id(kind) in LEAF_IDS:
            return False
        if kind is ModuleType:
            effect = effect_of(MODULE_DICT(owner).get(name))
        else:
            effect = effect_of_method(owner, kind, name)
        if effect == NOTHING_CHANGES:
            return False
        return take_effect(effect, names, others, when, columns)

    return method_op if owner_path else function_op


def nothing_changes(names: Any, others: Any, last: Any, when: int, columns: Any) -> bool:
    return False


def super_op(name: Any, info: Any) -> Any:
    first = info.names[0] if info.names else ""

    def op(names: Any, others: Any, last: Any, when: int, columns: Any) -> bool:
        value = resolve((first,), True, names, others)
        look_at(value, when, columns)
        return bool(effect_above(value, name) != NOTHING_CHANGES)

    return op
