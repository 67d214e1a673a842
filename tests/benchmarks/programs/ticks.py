"""Prints the time a hundred times a second, as often as `count` says, which is set from outside."""

import time

count = 0
period = 0.01
while True:
    while not count:
        time.sleep(0.005)
    due = time.time()
    for number in range(count):
        print(f"tick {number} {time.time():.6f}", flush=True)
        due += period
        time.sleep(max(0.0, due - time.time()))
    count = 0
