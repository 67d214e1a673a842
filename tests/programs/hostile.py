"""Values that do their worst to whoever looks at them."""

import collections
import enum
import sys
import time


class Sleeper:
    """Takes five seconds to show itself."""

    def __repr__(self):
        time.sleep(5)
        return "at last"


class Endless:
    def __repr__(self):
        while True:
            pass


class Raiser:
    def __repr__(self):
        raise ValueError("no [bold]repr[/] today")


class Exiter:
    def __repr__(self):
        sys.exit(3)


class Printer:
    def __repr__(self):
        print("printed by a repr")
        return "Printer()"


class Huge:
    def __repr__(self):
        return "h" * 100_000_000


class Closer:
    """Closes a file when it is shown."""

    def __init__(self, file):
        self.file = file

    def __repr__(self):
        self.file.close()
        return "Closer()"


class Recurser:
    def __repr__(self):
        return repr(self)


class NoText:
    def __repr__(self):
        return 5


class Liar:
    """Says that it is a dict."""

    @property
    def __class__(self):
        return dict

    def __len__(self):
        raise RuntimeError("never ask for my length")

    def __iter__(self):
        raise RuntimeError("never go through me")


class Watcher:
    """Counts who looks at it."""

    looks = 0

    def __init__(self):
        self.name = "watcher"

    def __getattribute__(self, name):
        Watcher.looks += 1
        return object.__getattribute__(self, name)


class Properties:
    shared = 7

    def __init__(self):
        self.worked_out = 0
        self._hidden = 1

    @property
    def slow(self):
        time.sleep(1.0)
        return ["slowly"]

    @property
    def counted(self):
        self.worked_out += 1
        return self.worked_out

    @property
    def failing(self):
        raise KeyError("nothing here")

    @property
    def settable(self):
        return self._hidden

    @settable.setter
    def settable(self, value):
        self._hidden = int(value) * 2


class Slots:
    __slots__ = ("left", "right")

    def __init__(self):
        self.left = 1


class Colour(enum.Enum):
    RED = 1


class Key:
    def __init__(self, n):
        self.n = n

    def __repr__(self):
        return "Key(%d)" % self.n


Point = collections.namedtuple("Point", "x y")


def main():
    sleeper, endless, raiser, exiter = Sleeper(), Endless(), Raiser(), Exiter()
    printer, huge, recurser, no_text = Printer(), Huge(), Recurser(), NoText()
    opened = open(__file__)
    closer = Closer(opened)
    liar, watcher, properties, slots = Liar(), Watcher(), Properties(), Slots()
    cyclic = [1]
    cyclic.append(cyclic)
    surrogates, bidi = "a\udcffb", "x\u202etxt.exe"
    escapes, markup, wide = "\x1b[31mred\x07", "[red]x[/red]", "中文🙂"
    data = bytes(range(256))
    big = list(range(1_000_000))
    text = "t" * 100_000_000
    number = 10**100_000
    keyed = {"k%d" % n: n for n in range(10_000)}
    odd_keys = {Key(1): "one", Colour.RED: "red", (1, "a"): "pair", 5: "five", "{}": "braces"}
    point, some = Point(1, 2), {3, 1, 2}
    queue = collections.deque(range(5))
    counts = collections.Counter("abracadabra")
    nested = {"a": [{"b": [1, 2, {"c": 3}]}]}
    sleepers = [1, sleeper, 2]
    count = 0
    count += 1  #: here
    count += 1
    count += 1
    return count, opened


if __name__ == "__main__":
    main()
    print("done")
