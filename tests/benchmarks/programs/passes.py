import time

for number in range(100_000):
    total = number * 2
    half = total // 4
    squares = [n * n for n in range(10)]
    time.sleep(0.03)
