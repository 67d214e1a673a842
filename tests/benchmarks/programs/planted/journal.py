"""Takes in the messages of a fleet of lorries, and stores them in the background."""

import asyncio
from dataclasses import dataclass, field

LORRIES = 5
MESSAGES = 4
BATCH = 3
"""Messages that are stored together."""


@dataclass(frozen=True)
class Message:
    """Where a lorry was."""

    lorry: int
    number: int
    place: tuple


@dataclass
class Store:
    """A slow place that keeps messages."""

    kept: list = field(default_factory=list)

    async def save(self, batch):
        await asyncio.sleep(0.05 * len(batch))
        self.kept.extend(batch)


class Journal:
    """Stores what it is given, some at a time."""

    def __init__(self, store):
        self.store = store
        self.queue = asyncio.Queue()
        self.taken = 0
        self.writer = None

    def open(self):
        self.writer = asyncio.create_task(self.write(), name="writer")

    def put(self, message):
        self.taken += 1
        self.queue.put_nowait(message)

    async def write(self):
        """Store batch after batch."""
        while True:
            batch = [await self.queue.get()]
            while len(batch) < BATCH and not self.queue.empty():
                batch.append(self.queue.get_nowait())
            await self.store.save(batch)

    async def close(self):
        """Let the writer end."""
        self.writer.cancel()
        await asyncio.gather(self.writer, return_exceptions=True)


async def drive(lorry, journal):
    """A lorry tells where it is, again and again."""
    for number in range(MESSAGES):
        await asyncio.sleep(0.005)
        place = (50 + lorry / 10, 8 + number / 100)
        journal.put(Message(lorry, number, place))


async def collect(store):
    """The messages of all lorries of one day."""
    journal = Journal(store)
    journal.open()
    async with asyncio.TaskGroup() as group:
        for lorry in range(LORRIES):
            group.create_task(drive(lorry, journal), name=f"lorry {lorry}")
    await journal.close()
    return journal.taken


def main():
    store = Store()
    taken = asyncio.run(collect(store))
    print(f"kept {len(store.kept)} of {taken} messages")


if __name__ == "__main__":
    main()
