# FIRST LINE: stops as many calls deep as the first argument says, the module among them.

import sys


def descend(calls: int) -> int:
    if calls > 1:
        return descend(calls - 1)
    breakpoint()
    for value in range(7 * 10**6 + 1, 8 * 10**6, 2):
        value += 1
    return value


print(descend(int(sys.argv[1]) - 1))
