"""Does one kind of work, of a program's own lines or of libraries, and says how long it took.

``recorded.py KIND``: the last line that is printed is the time in seconds.
"""

import itertools
import json
import random
import re
import sys
import threading
import time
import unittest
from collections import Counter, defaultdict, deque


def loop():
    total = 0
    for i in range(20_000):
        if i % 3:
            total += i
    return total


def sort():
    items = [(i * 7919) % 211 for i in range(120)]
    for i in range(len(items)):
        for j in range(len(items) - 1 - i):
            if items[j] > items[j + 1]:
                items[j], items[j + 1] = items[j + 1], items[j]
    return items


class Account:
    def __init__(self, name):
        self.name = name
        self.balance = 0
        self.days = {}

    def pay(self, day, amount):
        self.balance += amount
        self.days[day % 7] = amount
        return self.balance


def objects():
    accounts = [Account(str(i)) for i in range(20)]
    for day in range(4_000):
        account = accounts[day % 20]
        account.pay(day, day % 13)
    return accounts


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def calls():
    return fib(17)


def words():
    counts = {}
    text = "the quick brown fox jumps over the lazy dog " * 500
    for word in text.split():
        if word not in counts:
            counts[word] = 0
        counts[word] += 1
    return counts


def many_locals():
    for i in range(2_000):
        a, b, c, d = i, i + 1, i + 2, i + 3
        e = [a, b]
        f = {"c": c, "d": d}
        g = (e, f)
        h = str(g[0][0])
    return h


def descend(n):
    if n == 0:
        return 0
    return descend(n - 1) + 1


def deep():
    for _ in range(60):
        descend(200)


def threads():
    def work():
        total = 0
        for i in range(2_000):
            total += i
        return total

    running = [threading.Thread(target=work) for _ in range(4)]
    for each in running:
        each.start()
    for each in running:
        each.join()


def waiting():
    for _ in range(100):
        time.sleep(0.001)


def raising():
    count = 0
    for i in range(2_000):
        try:
            raise ValueError(i)
        except ValueError:
            count += 1
    return count


def long_texts():
    text = "word " * 20_000
    for i in range(1_000):
        piece = text[i:]
        upper = piece[:1_000].upper()
        found = upper + str(i)
    return found


def numbers_to(n):
    for i in range(n):
        yield i * 2


def generators():
    total = 0
    for _ in range(30):
        for number in numbers_to(100):
            total += number
    return total


def flask_client():
    import flask

    app = flask.Flask("app")

    @app.get("/items/<int:number>")
    def item(number):
        found = {"number": number, "double": number * 2}
        return flask.jsonify(found)

    client = app.test_client()
    for number in range(300):
        answer = client.get(f"/items/{number}")
        assert answer.json["number"] == number


def texts():
    rows = [{"name": f"name{i}", "values": list(range(40))} for i in range(60)]
    pattern = re.compile(r"\"name\": \"name(\d+)\"")
    total = 0
    for _ in range(60):
        text = json.dumps(rows)
        total += len(pattern.findall(text))
        again = json.loads(text)
        total += len(again)
    return total


def arrays():
    import numpy

    matrix = numpy.arange(250_000, dtype=float).reshape(500, 500) / 250_000
    for _ in range(40):
        matrix = matrix @ matrix
        matrix = matrix / matrix.max()
    return float(matrix.sum())


def gcd(a, b):
    if b == 0:
        return a
    return gcd(b, a % b)


def sieve(top):
    primes = []
    for n in range(2, top + 1):
        if all(n % p > 0 for p in primes):
            primes.append(n)
    return primes


def small_tests():
    class Tests(unittest.TestCase):
        def test_primes(self):
            self.assertEqual(sieve(13), [2, 3, 5, 7, 11, 13])

        def test_divisor(self):
            self.assertEqual(gcd(1071, 462), 21)

        def test_line(self):
            self.assertRegex(json.dumps([gcd(12, 18)]), "[0-9]")

    tests = [Tests(name) for name in ("test_primes", "test_divisor", "test_line")] * 50
    result = unittest.TestResult()
    unittest.TestSuite(tests).run(result)
    assert result.wasSuccessful(), result


def million():
    total = 0
    for n in range(250_000):
        a = n * 2
        if a % 3 == 0:
            total += a
        b = a + total
    return b


def tuple_keys():
    grid = {}
    for i in range(3_000):
        grid[i % 15, i // 15 % 15] = i
    return grid


class Step:
    def __init__(self, value, parent):
        self.value = value
        self.parent = parent


def parents():
    last = None
    for i in range(240):
        last = Step(i, last)
        for other in range(5):
            tried = Step(other, last)
    return last, tried


def linked():
    head = None
    for i in range(240):
        head = Step(i, head)
    total = 0
    while head:
        total += head.value
        head = head.parent
    return total


def next_beside():
    rows = [list(range(100)) for _ in range(100)]
    ids = itertools.count()
    total = 0
    for i in range(1_000):
        total += next(ids)
        row = rows[i % 100]
        total += row[5]
    return total


def matrix():
    rows = [[0] * 60 for _ in range(60)]
    for i in range(60):
        for j in range(60):
            rows[i][j] = random.random()
    return rows


def counters():
    counts = Counter()
    places = defaultdict(list)
    queue = deque(maxlen=150)
    for i in range(2_000):
        counts[i % 150] += 1
        places[i % 150].append(i)
        queue.append(i)
    return counts


class Body:
    def __init__(self, x):
        self.x = x
        self.y = x

    def step(self, world):
        self.x += 1
        world.log.append(self.x)


class World:
    def __init__(self, count):
        self.bodies = [Body(i) for i in range(count)]
        self.log = []

    def tick(self):
        for body in self.bodies:
            body.step(self)


def large_self():
    world = World(150)
    for _ in range(6):
        world.tick()
    return world


def dict_rows():
    rows = []
    for i in range(2_000):
        amount = random.random()
        rows.append({"order": i, "region": "x", "amount": amount, "returned": False})
    return rows


work = {each.__name__: each for each in (
    *(loop, sort, objects, calls, words, many_locals, deep, threads, waiting, raising),
    *(long_texts, generators),
    *(tuple_keys, parents, linked, next_beside, matrix, counters, large_self, dict_rows),
    *(flask_client, texts, arrays, small_tests, million),
)}[sys.argv[1]]  # fmt: skip
if work is flask_client:
    import flask  # noqa: F401 (its import is not what is measured)
if work is arrays:
    import numpy  # noqa: F401
started = time.perf_counter()
work()
print(time.perf_counter() - started)
