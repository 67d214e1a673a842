"""Event loops and what runs on them."""

from __future__ import annotations

from tests.compatibility.row import row
from tests.compatibility.trial import Trial

GROUP = "Event loops"

TRIO = """
import trio
async def work(number):
    before = number
    await trio.sleep(0.1)  #: first
    after = before + 1  #: second
    return after
async def main():
    async with trio.open_nursery() as nursery:
        nursery.start_soon(work, 1)
        nursery.start_soon(work, 2)
trio.run(main)
"""


ANYIO = TRIO.replace("import trio\n", "import anyio\n").replace(
    "trio.open_nursery()", "anyio.create_task_group()"
)
ANYIO = ANYIO.replace("trio.run(main)", 'anyio.run(main, backend="trio")').replace(
    "trio.sleep", "anyio.sleep"
)

UVLOOP = """
import asyncio, uvloop
async def work(number):
    before = number
    await asyncio.sleep(0.1)  #: first
    after = before + 1  #: second
    return after
async def main():
    await asyncio.gather(work(1), work(2))
uvloop.run(main())
"""


async def step_over_await(trial: Trial) -> None:
    """Stay in one of two tasks over an ``await``."""
    await trial.start("first")
    session = await trial.until_stop("first")
    number = await trial.value(session, "number")
    await trial.clear()
    assert await trial.step(session) == trial.place("second")[1]
    assert await trial.value(session, "number") == number
    await trial.go_on(session)
    assert await trial.until_end() == 0


@row(
    "trio",
    group=GROUP,
    pins=["trio==0.35.0"],
    files={"main.py": TRIO},
    words="{folder}/main.py",
    works="a step over `await` stays in its task, whichever others run meanwhile.",
    fails="the list of tasks (`T`), which knows asyncio's only.",
)
async def trio(trial: Trial) -> None:
    await step_over_await(trial)


@row(
    "AnyIO on trio",
    group=GROUP,
    pins=["anyio==4.16.0", "trio==0.35.0"],
    files={"main.py": ANYIO},
    words="{folder}/main.py",
    works="the same.",
    fails="the same.",
)
async def anyio(trial: Trial) -> None:
    await step_over_await(trial)


@row(
    "uvloop",
    group=GROUP,
    pins=["uvloop==0.23.0"],
    files={"main.py": UVLOOP},
    words="{folder}/main.py",
    works="as asyncio's own loop.",
)
async def uvloop(trial: Trial) -> None:
    await step_over_await(trial)


TWISTED = """
from twisted.internet import defer, reactor, task
def later(value):
    return task.deferLater(reactor, 0.1, lambda: value)
@defer.inlineCallbacks
def old():
    one = yield later(1)  #: first
    two = one + 1  #: second
    return two
async def new():
    one = await later(1)  #: third
    two = one + 1  #: fourth
    return two
@defer.inlineCallbacks
def main():
    yield old()
    yield defer.ensureDeferred(new())
    reactor.stop()
reactor.callWhenRunning(main)
reactor.run()
print("ended")
"""


@row(
    "Twisted",
    group=GROUP,
    pins=["twisted==26.10.0"],
    files={"main.py": TWISTED},
    words="{folder}/main.py",
    works="a step over `yield` in `inlineCallbacks`, or over `await`, goes to the next line of the"
    " function.",
    fails="exceptions in Deferreds as uncaught ones: Twisted catches them; choose `raised`.",
)
async def twisted(trial: Trial) -> None:
    await trial.start("first", "third")
    for mark, after in (("first", "second"), ("third", "fourth")):
        session = await trial.until_stop(mark)
        assert await trial.step(session) == trial.place(after)[1]
        assert await trial.value(session, "one") == "1"
        await trial.go_on(session)
    assert await trial.until_end() == 0


SCRAPY = """
import scrapy
class Shop(scrapy.Spider):
    name = "shop"
    start_urls = ["data:text/html,<p class=price>21</p>"]
    def parse(self, response):
        price = response.css("p.price::text").get()
        yield {"price": price}  #: first
        done = True  #: second
"""


@row(
    "Scrapy",
    group=GROUP,
    pins=["scrapy==2.19.0"],
    files={"shop.py": SCRAPY},
    words="-- scrapy runspider shop.py",
    works="callbacks stop; a step over `yield` goes to the next line of the callback.",
)
async def scrapy(trial: Trial) -> None:
    await trial.start("first")
    session = await trial.until_stop("first")
    assert (await trial.locals(session))["price"].value == "'21'"
    assert await trial.step(session) == trial.place("second")[1]
    await trial.go_on(session)
    assert await trial.until_end() == 0


LOCUST = """
from locust import User, task, constant
class Shopper(User):
    wait_time = constant(0.1)
    @task
    def buy(self):
        price = 21
        doubled = price * 2  #: first
        self.last = doubled  #: second
"""


@row(
    "Locust",
    group=GROUP,
    pins=["locust==2.47.0"],
    files={"locustfile.py": LOCUST},
    words="-- locust --headless -u 1 -r 1 -t 3",
    works="tasks stop and step in their greenlets: debugpy's mode for gevent is chosen for it.",
)
async def locust(trial: Trial) -> None:
    await trial.start("first")
    session = await trial.until_stop("first")
    assert await trial.step(session) == trial.place("second")[1]
    await trial.clear()
    await trial.go_on(session)
    assert await trial.until_end() == 0
    assert "gevent" not in trial.output, "it is expected"
