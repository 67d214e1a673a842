"""The mean of what a log tells: the rows are a generator that has been gone through already."""

from collections import Counter


class Row:
    def __init__(self, level, seconds):
        self.level = level
        self.seconds = seconds


def parse(line):
    level, _, rest = line.partition(" ")
    return Row(level.lower(), float(rest or 0))


LINES = [
    "INFO 1.5",
    "WARN 2.5",
    "INFO 3.0",
    "",
    "ERROR 9.0",
    "INFO 2.0",
]


def wanted(lines):
    for line in lines:
        if line:
            yield line


class Report:
    def __init__(self):
        self.count = 0
        self.mean = None
        self.levels = Counter()
        self.longest = 0.0

    def take_levels(self, rows):
        for row in rows:
            self.levels[row.level] += 1
            self.count += 1

    def take_times(self, rows):
        total = 0.0
        for row in rows:
            total += row.seconds
            if row.seconds > self.longest:
                self.longest = row.seconds
        self.mean = total / max(1, self.count)

    def worst(self):
        order = ["error", "warn", "info"]
        for level in order:
            if self.levels[level]:
                return level
        return ""


def summarize(lines):
    report = Report()
    rows = (parse(line) for line in wanted(lines))  # planted
    report.take_levels(rows)
    report.take_times(rows)
    return report


def shown(report):
    parts = [f"{report.count} rows"]
    for level, count in sorted(report.levels.items()):
        parts.append(f"{level}: {count}")
    parts.append(f"mean {report.mean:.1f} s")
    return ", ".join(parts)


def is_alarming(report):
    return report.worst() == "error" and report.longest > 5


report = summarize(LINES)
words = shown(report)
alarm = is_alarming(report)
mean = report.mean
EXPECTED = 3.6
wrong = mean != EXPECTED
