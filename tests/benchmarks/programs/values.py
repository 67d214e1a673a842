# FIRST LINE: a list of a million and a dictionary of ten thousand, and stops to open them at.

# Each value of the dictionary is there once, and none is where its key would let one expect it.


def walk() -> str:
    numbers = list(range(10**6, 2 * 10**6))
    prices = {f"k{n:05d}": f"v{n * 7919 % 10_000:05d}" for n in range(10_000)}
    breakpoint()
    for value in range(7 * 10**6 + 1, 8 * 10**6, 2):
        value += 1
    return f"{len(numbers)} {len(prices)}"


print(walk())
