# FIRST LINE: thirty values with three things in each, of which some change at each pass.

from dataclasses import dataclass


@dataclass
class Point:
    x: int
    y: int
    name: str


def walk() -> str:
    a00, a01, a02, a03, a04 = [1, 2, 3], [4, 5, 6], [7, 8, 9], ["a", "b", "c"], [None, True, 1.5]
    a05, a06, a07, a08, a09 = (1, 2, 3), (4, 5, 6), (7, 8, 9), ("a", "b", "c"), (None, True, 1.5)
    a10, a11, a12 = {"x": 1, "y": 2, "z": 3}, {"x": 4, "y": 5, "z": 6}, {1: "a", 2: "b", 3: "c"}
    a13, a14, a15 = {"x": [1], "y": [2], "z": [3]}, {"x": "4", "y": "5", "z": "6"}, [[1], [2], [3]]
    a16, a17, a18 = Point(1, 2, "a"), Point(3, 4, "b"), Point(5, 6, "c")
    a19, a20, a21 = Point(1, 2, "a"), Point(3, 4, "b"), Point(5, 6, "c")
    a22, a23, a24 = [(1, 2), (3, 4), (5, 6)], [(), (), ()], ["long " * 50, "text " * 50, "x"]
    a25, a26, a27 = [1.5, 2.5, 3.5], (b"a", b"b", b"c"), {"k": None, "l": True, "m": 1j}
    a28, a29 = [range(3), range(4), range(5)], [10**20, 10**30, 10**40]
    breakpoint()
    for value in range(7 * 10**6 + 1, 8 * 10**6, 2):
        value = a00[1] = a10["y"] = a16.y = value + 1
    return f"{a01}{a02}{a03}{a04}{a05}{a06}{a07}{a08}{a09}{a11}{a12}{a13}{a14}{a15}{a17}{a18}" + (
        f"{a19}{a20}{a21}{a22}{a23}{a24}{a25}{a26}{a27}{a28}{a29}"
    )


print(walk())
