"""What the sensors of a greenhouse have measured in a night."""

import statistics
from dataclasses import dataclass

LOG = """
22:00 bed1 18.4
22:00 bed2 19.1
# calibrated
23:00 bed1 17.9
23:00 bed2 18.8
00:00 bed1 17.1
00:00 bed2 broken
01:00 bed1 16.4
01:00 bed2 17.2
02:00 bed1 15.2
02:00 bed2 16.9
"""

LOWEST = 15.5
"""Degrees below which the heating should have come on."""


@dataclass(frozen=True)
class Reading:
    """One measurement."""

    time: str
    bed: str
    degrees: float


def parse(row):
    """A reading, or None where the sensor has told nothing."""
    time, bed, text = row.split()
    try:
        return Reading(time, bed, float(text))
    except ValueError:
        return None


def read_log(text):
    """All readings in the order of the log."""
    for row in text.splitlines():
        if not row or row.startswith("#"):
            continue
        reading = parse(row)
        if reading is not None:
            yield reading


def coldest(readings):
    """The reading with the least degrees."""
    return min(readings, key=lambda reading: reading.degrees)


def too_cold(readings):
    """The readings in which it was colder than allowed."""
    return [reading for reading in readings if reading.degrees < LOWEST]


def by_bed(readings):
    """The readings sorted by bed and time."""
    return sorted(readings, key=lambda reading: (reading.bed, reading.time))


def mean(readings):
    """The mean of all, 0 where there is none."""
    return statistics.fmean([reading.degrees for reading in readings] or [0.0])


def report(text):
    """The line that the gardener gets in the morning."""
    readings = read_log(text)
    lowest = coldest(readings)
    cold = too_cold(readings)
    word = "ALARM" if cold else "fine"
    print(f"{word}: coldest {lowest.degrees} at {lowest.time}, {len(cold)} below {LOWEST}")


def main():
    report(LOG)


if __name__ == "__main__":
    main()
