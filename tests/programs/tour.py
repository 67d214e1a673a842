"""What a session on the real debugger visits: calls, a loop, input, output, an exit code."""

import sys


def double(value):
    result = value * 2
    return result


def collect(limit):
    found = []

    for number in range(limit):
        found.append(double(number))
    return found


# A line without code, and a blank one before it.
def main():
    words = {"who": "world", "terminal": sys.stdout.isatty()}
    found = collect(4)
    print("hello", words["who"], words["terminal"])
    print("to stderr", file=sys.stderr)
    line = sys.stdin.readline()
    print("read", repr(line))
    return len(found)


sys.exit(main())
