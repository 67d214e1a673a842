"""No value is told wrongly, and no line is lost, where a change is easily missed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recording.compared import environment, lines_of, read_spool, run_both
from tests.recording.test_harmless import record
from tests.recording.test_oracle import RECORDED, every_python, oldest_and_newest
from tests.recording.traps import CHAIN, TRAPS
from tests.support.interpreters import SUPPORTED, Version
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.reader import MomentReader
from tuidbg.recording.queries.changes import last_change_of
from tuidbg.recording.texts import RECORDER
from tuidbg.recording.values import ValuesAt

pytestmark = pytest.mark.real


@pytest.fixture(params=["compiled", "python"], autouse=True)
def recorder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Which recorder is used: both keep to what stands here."""
    monkeypatch.setenv(RECORDER, request.param)
    if request.param == "compiled" and not environment()["COMPILED"]:
        pytest.skip("the compiled recorder was not built")
    return str(request.param)


@every_python
def test_changes_that_are_easily_missed_are_recorded(version: Version, tmp_path: Path) -> None:
    found = run_both(SUPPORTED[version], TRAPS, tmp_path)
    assert found == {name: [] for name in TRAPS}


def test_no_line_is_lost_beside_a_long_chain(tmp_path: Path) -> None:
    timeline = read_spool(record(RECORDED[-1], CHAIN, tmp_path).parent / "spool")
    lines = lines_of(timeline)
    passes = [moment for moment in lines if moment.line == 16]
    assert len(passes) == 1100
    (frame,) = timeline.stack(lines[-1])
    values = {
        part.name: part.value for part in ValuesAt(timeline, timeline.now).variables(frame.owner)
    }
    assert values["total"] == 604450
    assert values["node"] is None


KEYS = """\
d = {}
d["a" * 300 + "1"] = 1
d["a" * 300 + "2"] = 2
d[float("nan")] = 3
d[float("nan")] = 4
d[10**400] = 5
d[10**400 + 1] = 6
d[b"x" * 300 + b"1"] = 7
d[b"x" * 300 + b"2"] = 8
d[1] = 9
d[1.5] = 10
done = 1
"""


@oldest_and_newest
def test_keys_that_are_told_alike_are_not_the_same(version: Version, tmp_path: Path) -> None:
    timeline = read_spool(record(version, KEYS, tmp_path).parent / "spool")
    values = ValuesAt(timeline, timeline.now)
    (frame,) = timeline.stack(lines_of(timeline)[-1])
    (found,) = (part.value for part in values.variables(frame.owner) if part.name == "d")
    assert [part.value for part in values.parts(found)] == list(range(1, 11))


MODULE_DICT = """\
x = 1
g = globals()
x = 2
g["y"] = 3
y = 4
def f():
    global x
    x = 7
    g["w"] = 8
    return globals()
h = f()
g.update(z=5)
namespace = {"x": 0}
exec("k = x", namespace)
done = 1
"""


@oldest_and_newest
def test_the_dict_of_a_module_has_its_variables(version: Version, tmp_path: Path) -> None:
    timeline = read_spool(record(version, MODULE_DICT, tmp_path).parent / "spool")
    end = lines_of(timeline)[-1]
    (frame,) = timeline.stack(end)
    reader, whole = MomentReader(timeline).at(end.when, frame.owner, frame.space), {}
    for text, line in {"x": 8, "y": 5, "w": 9, "z": 12}.items():
        for name in ("g", "h"):
            expression = Expression(f"{name}[{text!r}]")
            change = last_change_of(timeline, expression, frame, end.when)
            assert change is not None and change.place is not None
            whole[text] = expression.evaluate(reader)
            assert (text, change.place.line) == (text, line)
    assert whole == {"x": 7, "y": 4, "w": 8, "z": 5}
    assert Expression("namespace['k']").evaluate(reader) == 0
    values = ValuesAt(timeline, end.when)
    (token,) = (part.value for part in values.variables(frame.owner) if part.name == "g")
    assert values.type_name(token) == "dict"
    assert "'y': 4" in values.text(token)


BYTES = """\
import array
import fractions
b = bytearray(b"abcdef")
m = memoryview(b)
a = array.array("d", [1.0, 2.5])
m[0] = 1
b[3] = 7
b[4:] = b"yz"
a.append(3.5)
a[0] = -0.0
large = bytearray(1000)
large[7] = 1
text = type("Title", (str,), {"__module__": "fractions"})("x" * 300)
raw = b"q" * 300
some = range(7)
v = memoryview(bytearray(12)).cast("B", (3, 4))
m.release()
done = 1
"""


@oldest_and_newest
def test_items_of_bytes_arrays_and_memoryviews_are_recorded(
    version: Version, tmp_path: Path
) -> None:
    timeline = read_spool(record(version, BYTES, tmp_path).parent / "spool")
    lines = {moment.line: moment.when for moment in lines_of(timeline)}
    (frame,) = timeline.stack(lines_of(timeline)[-1])
    end = lines[18]

    def shown(when: int) -> dict[str, str]:
        values = ValuesAt(timeline, when)
        return {part.name: values.text(part.value) for part in values.variables(frame.owner)}

    assert shown(lines[6])["b"] == "bytearray(b'abcdef')"
    assert shown(lines[7])["m"] == "memoryview([1, 98, 99, 100, 101, 102])"
    assert shown(lines[9])["b"] == r"bytearray(b'\x01bc\x07yz')"
    assert shown(end)["a"] == "array([-0.0, 2.5, 3.5])"
    assert shown(end)["large"].endswith("… (1,000 bytes))")
    assert shown(end)["m"] == "memoryview([not known here])"
    assert shown(end)["text"] == f"Title('{'x' * 200}'…)"
    for text, line in {"b[0]": 6, "m[0]": 6, "b[3]": 7, "m[4]": 8, "a[2]": 9, "a[0]": 10}.items():
        change = last_change_of(timeline, Expression(text), frame, lines[17])
        assert change is not None and change.place is not None
        assert (text, change.place.line, change.begin) == (text, line, None)
    reader = MomentReader(timeline).at(end, frame.owner, frame.space)
    sizes = {"large": 1000, "raw": 300, "some": 7, "text": 300, "a": 3, "v": 3}
    assert {name: Expression(f"len({name})").evaluate(reader) for name in sizes} == sizes
    assert Expression("b == b'\\x01bc\\x07yz' and large[7] == 1").evaluate(reader) is True


LATE = """\
import atexit
rows, numbers = [1], {"a": 1}
atexit.register(rows.append, 7)
atexit.register(numbers.update, b=2)
done = 1
"""


@oldest_and_newest
def test_what_changes_behind_the_last_line_is_told_with_a_span(
    version: Version, tmp_path: Path
) -> None:
    timeline = read_spool(record(version, LATE, tmp_path).parent / "spool")
    last = timeline.last(0)
    assert last is not None and timeline.now > last.when
    values = ValuesAt(timeline, timeline.now)
    (frame,) = timeline.stack(lines_of(timeline)[-1])
    found = {part.name: part.value for part in values.variables(frame.owner)}
    assert values.text(found["rows"]) == "[1, 7]"
    assert values.text(found["numbers"]) == "{'a': 1, 'b': 2}"
    before = ValuesAt(timeline, last.when)
    assert before.text(found["rows"]) in ("[1]", "[1, not known here]")


CONTENTS = """\
class Text(str):
    pass
class Number(int):
    __slots__ = ()
class Share(float):
    pass
class Data(bytes):
    pass
text = Text("abc")
text.more = 1
number = Number(7)
number = None
other = Number(8)
shares = [Share(0.5)]
data = Data(b"xy")
done = 1
"""


@oldest_and_newest
def test_texts_and_numbers_of_own_classes_have_their_content(
    version: Version, tmp_path: Path
) -> None:
    timeline = read_spool(record(version, CONTENTS, tmp_path).parent / "spool")
    end = lines_of(timeline)[-1]
    (frame,) = timeline.stack(end)
    values = ValuesAt(timeline, end.when)
    found = {part.name: values.text(part.value) for part in values.variables(frame.owner)}
    assert found["text"] == "Text('abc', more=1)"
    assert found["other"] == "Number(8)"
    assert found["shares"] == "[Share(0.5)]"
    assert found["data"] == "Data(b'xy')"
