"""Readings of sensors: what can't be read counts as nothing instead of being left out."""


class Sensor:
    def __init__(self, name, unit):
        self.name = name
        self.unit = unit
        self.readings = []
        self.failed = 0

    def take(self, text):
        try:
            reading = float(text)
        except ValueError:
            self.failed += 1
            reading = 0.0  # planted
        self.readings.append(reading)


class Station:
    def __init__(self):
        self.sensors = {}

    def sensor(self, name, unit="C"):
        found = self.sensors.get(name)
        if found is None:
            found = self.sensors[name] = Sensor(name, unit)
        return found

    def feed(self, lines):
        for line in lines:
            name, _, text = line.partition("=")
            self.sensor(name).take(text)


class Lowest:
    def __init__(self):
        self.values = {}

    def look(self, sensor):
        low = None
        for reading in sensor.readings:
            if low is None or reading < low:
                low = reading
        self.values[sensor.name] = low


LINES = [
    "roof=14.5",
    "cellar=9.0",
    "roof=13.0",
    "cellar=9.5",
    "roof=--",
    "roof=15.5",
    "cellar=8.5",
]


def run(lines):
    station = Station()
    station.feed(lines)
    lowest = Lowest()
    for sensor in station.sensors.values():
        lowest.look(sensor)
    return station, lowest


def mean(sensor):
    total = 0.0
    for reading in sensor.readings:
        total += reading
    return total / len(sensor.readings)


def frost(lowest):
    found = []
    for name, low in lowest.values.items():
        if low <= 1:
            found.append(name)
    return found


station, lowest = run(LINES)
warnings = frost(lowest)
means = {name: mean(sensor) for name, sensor in station.sensors.items()}
roof = lowest.values["roof"]
EXPECTED = 13.0
wrong = roof != EXPECTED
