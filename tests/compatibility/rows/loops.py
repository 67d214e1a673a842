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


@row(
    "trio",
    group=GROUP,
    pins=["trio==0.35.0"],
    files={"main.py": TRIO},
    words="{folder}/main.py",
    works="x",
)
async def trio(trial: Trial) -> None:
    await trial.start("first")
    task = await trial.until_stop("first")
    number = await trial.value(task, "number")
    await trial.clear()
    print(await trial.step(task), trial.place("second"), number, await trial.value(task, "number"))
    print(trial.processes.describe(), [f.name for f in task.frames][:5])


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
    works="x",
)
async def twisted(trial: Trial) -> None:
    await trial.start("first", "third")
    session = await trial.until_stop("first")
    print("step over yield", await trial.step(session), [f.name for f in session.frames][:3])
    await trial.go_on(session)
    session = await trial.until_stop("third")
    print("step over await", await trial.step(session), [f.name for f in session.frames][:3])
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
    works="x",
)
async def scrapy(trial: Trial) -> None:
    await trial.start("first")
    session = await trial.until_stop("first")
    assert await trial.value(session, "price") == "'21'"
    print({n: v.value for n, v in (await trial.locals(session)).items()})
    print(await trial.step(session), [f.name for f in session.frames][:3])
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
    words="-- locust --headless -u 2 -r 2 -t 3",
    works="x",
)
async def locust(trial: Trial) -> None:
    await trial.start("first")
    session = await trial.until_stop("first")
    print(await trial.step(session), [f.name for f in session.frames][:3])
    await trial.clear()
    await trial.go_on(session)
    print(await trial.until_end())
