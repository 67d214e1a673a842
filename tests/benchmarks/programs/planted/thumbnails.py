"""Makes small pictures of large ones in a process of its own, so that one bad file kills nothing."""

import json
import os
import subprocess
import sys

PICTURES = [
    {"name": "harbour", "width": 4000, "height": 3000},
    {"name": "tower", "width": 2400, "height": 3600},
    {"name": "panorama", "width": 9000, "height": 1800},
]

SMALLEST = 32
"""Pixels that a small picture is high at least."""



def widest():
    """How wide a small picture may be: THUMBNAIL_WIDTH, or what suits most screens."""
    return int(os.environ.get("THUMBNAIL_WIDTH", "160"))


# In the process that does the work


def shrink(picture, width):
    """The size of the small picture; the shape stays."""
    if picture["width"] <= width:
        return picture
    height = max(SMALLEST, picture["height"] * width // picture["width"])
    return {"name": picture["name"], "width": width, "height": height}


def work():
    """Read pictures from the input, and write the small ones."""
    width = widest()
    small = [shrink(picture, width) for picture in json.load(sys.stdin)]
    json.dump(small, sys.stdout)


# In the process that has the work done


class Failed(Exception):
    """The worker did not do it."""


def call(command, text, **options):
    """What a command answers to a text."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, **options)
    if done.returncode:
        raise Failed(done.stderr)
    return done.stdout


def run_worker(pictures):
    """Hand the pictures to a worker, which sees no secrets of the shop, and take the small ones."""
    command = [sys.executable, os.path.abspath(__file__), "work"]
    answer = call(command, json.dumps(pictures), env={"PATH": os.defpath})
    return json.loads(answer)


def describe(pictures):
    """One line for each."""
    return [f"{each['name']} {each['width']}x{each['height']}" for each in pictures]


def main():
    small = run_worker(PICTURES)
    print("made", ", ".join(describe(small)))
    pixels = sum(each["width"] * each["height"] for each in small)
    print(f"{pixels} pixels, widest {max(each['width'] for each in small)}")


if __name__ == "__main__":
    if sys.argv[1:] == ["work"]:
        work()
    else:
        main()
