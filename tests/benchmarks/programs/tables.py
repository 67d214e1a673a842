# FIRST LINE: tables of ten million rows, of each kind that a program may have.

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl


def show() -> int:
    numbers = np.arange(10**9, 10**9 + 10**7)
    pandas = pd.DataFrame({"id": numbers, "half": numbers / 2, "back": numbers[::-1]})
    polars = pl.DataFrame({"id": numbers, "half": numbers / 2, "back": numbers[::-1]})
    breakpoint()
    return len(numbers) + len(pandas) + len(polars)


print(show())
