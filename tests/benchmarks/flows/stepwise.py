"""How a debugger of single steps gets to the planted bugs, by the shortest way there is.

It stops where the symptom is seen, or at the function that this names, and where that does not show
the cause a second run stops at the cause. It may read the source, and never stops at a place that
turns out to be innocent. The guilty line may stand in any answer, and so may the value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Stop:
    """Stop ``at`` a statement, if the condition holds; step into its call; evaluate."""

    at: str
    expression: str
    condition: str = ""
    is_into: bool = False


@dataclass(frozen=True)
class Stepwise:
    """One run for each stop; the last shows the wrong value."""

    stops: Sequence[Stop]
    wrong: str
    args: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict)


STEPWISE = {
    "statements.py": Stepwise(
        stops=(
            Stop(
                at="total = total_of(statement, terms)",
                expression="terms",
            ),
            Stop(
                at="return terms",
                condition="customer == 'bolt'",
                expression="terms",
            ),
        ),
        wrong="'EUR'",
        args=("bolt",),
    ),
    "parcels.py": Stepwise(
        stops=(
            Stop(
                at="heaviest = max(parcels, key=lambda parcel: parcel.weight)",
                expression="parcels[1].contents",
            ),
            Stop(
                at="return Parcel(order, contents)",
                condition="order.number == 1002",
                expression="contents",
            ),
        ),
        wrong="['book', 'book', 'mug', 'lamp']",
    ),
    "takings.py": Stepwise(
        stops=(
            Stop(
                at="continue  # the line of names that some tills repeat",
                expression="row",
            ),
        ),
        wrong="1.204,50",
    ),
    "deposits.py": Stepwise(
        stops=(
            Stop(
                at='print(f"balance {account.balance} of {booked} booked")',
                expression="account",
            ),
            Stop(
                at="account.balance = before + amount",
                condition="before + amount < account.balance + amount",
                expression="(before, account.balance)",
            ),
        ),
        wrong="(0, ",
    ),
    "journal.py": Stepwise(
        stops=(
            Stop(
                at='print(f"kept {len(store.kept)} of {taken} messages")',
                expression="store",
            ),
            Stop(
                at="await asyncio.gather(self.writer, return_exceptions=True)",
                expression="self.store",
            ),
        ),
        wrong="Store(kept=[])",
    ),
    "readings.py": Stepwise(
        stops=(
            Stop(
                at='word = "ALARM" if cold else "fine"',
                expression="cold",
            ),
        ),
        wrong="[]",
    ),
    "tickets.py": Stepwise(
        stops=(
            Stop(
                at="return self.rules[tariff](ROWS[row])",
                expression="percent",
                is_into=True,
            ),
        ),
        wrong="60",
        args=("2xcircle/student",),
    ),
    "sales.py": Stepwise(
        stops=(
            Stop(
                at="months = by_month(payments)",
                expression="payments",
            ),
            Stop(
                at='month = moment.strftime("%Y-%m")',
                expression="moment",
            ),
        ),
        wrong="datetime.datetime(2024, 1, 31, 6, 0)",
        env={"TZ": "America/New_York"},
    ),
    "freight.py": Stepwise(
        stops=(
            Stop(
                at="return self.known[key]",
                condition="speed == 'express'",
                expression="self.known[key]",
            ),
        ),
        wrong="304.0",
        args=("express",),
    ),
    "thumbnails.py": Stepwise(
        stops=(
            Stop(
                at="done = subprocess.run("
                "command, input=text, capture_output=True, text=True, **options)",
                expression="options",
            ),
        ),
        wrong="{'env': {'PATH':",
        env={"THUMBNAIL_WIDTH": "320"},
    ),
}
