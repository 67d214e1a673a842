"""Moving averages of a series: the last window is left out."""

from math import sqrt


class Series:
    def __init__(self, values):
        self.values = list(values)

    def __len__(self):
        return len(self.values)

    def window(self, start, size):
        return self.values[start : start + size]

    def smallest(self):
        least = self.values[0]
        for value in self.values:
            if value < least:
                least = value
        return least


class Averages:
    def __init__(self, series, size):
        self.series = series
        self.size = size
        self.found = []
        self.last_start = -1

    def run(self):
        count = len(self.series)
        for start in range(count - self.size):  # planted
            window = self.series.window(start, self.size)
            mean = sum(window) / self.size
            self.found.append(mean)
            self.last_start = start
        return self.found

    def peak(self):
        best = None
        for mean in self.found:
            if best is None or mean > best:
                best = mean
        return best


def deviation(values):
    mean = sum(values) / len(values)
    squares = 0.0
    for value in values:
        squares += (value - mean) ** 2
    return sqrt(squares / len(values))


def parse(text):
    numbers = []
    for word in text.split():
        try:
            numbers.append(float(word))
        except ValueError:
            continue
    return numbers


TEXT = "3 5 4 n/a 6 8 7 12"


def report(averages):
    lines = []
    for index, mean in enumerate(averages.found):
        lines.append(f"{index}: {mean:.2f}")
    return lines


series = Series(parse(TEXT))
averages = Averages(series, 3)
averages.run()
peak = averages.peak()
spread = deviation(averages.found)
lines = report(averages)
newest = averages.found[-1]
EXPECTED = 9.0
wrong = newest != EXPECTED
