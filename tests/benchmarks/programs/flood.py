# FIRST LINE: prints 200,000 lines as fast as it can.
for number in range(200_000):
    print(f"line {number:06d} of the flood", "." * 30)
