"""Task queues and their workers."""

from __future__ import annotations

from tests.compatibility.row import row
from tests.compatibility.trial import Trial

GROUP = "Task queues"

CELERY = """
import os
from celery import Celery
for name in ("queue", "done", "control"):
    os.makedirs(name, exist_ok=True)
app = Celery("tasks", broker="filesystem://")
app.conf.broker_transport_options = {
    "data_folder_in": "queue", "data_folder_out": "queue",
    "processed_folder": "done", "control_folder": "control",
}
app.conf.task_ignore_result = True
@app.task
def price(order):
    doubled = order * 2  #: first
    print(f"priced {doubled}", flush=True)  #: second
"""

SEND = """
import tasks
tasks.price.delay(21)
"""


def send(trial: Trial) -> None:
    """Put a task into the queue, by the row's Python without the debugger."""
    trial.run("send.py")


async def work_on_one(trial: Trial) -> None:
    await trial.start("first")
    worker = await trial.until_stop("first")
    assert await trial.value(worker, "order") == "21"
    assert await trial.step(worker) == trial.place("second")[1]
    await trial.go_on(worker)
    await trial.until(lambda: "priced 42" in trial.output, "the task is done")


@row(
    "Celery, solo pool",
    group=GROUP,
    pins=["celery==5.7.0"],
    files={"tasks.py": CELERY, "send.py": SEND},
    words="-- celery -A tasks worker --pool solo",
    build=send,
    works="one process: tasks stop in it.",
)
async def celery_solo(trial: Trial) -> None:
    await work_on_one(trial)


@row(
    "Celery, prefork pool",
    group=GROUP,
    pins=["celery==5.7.0"],
    files={"tasks.py": CELERY, "send.py": SEND},
    words="-- celery -A tasks worker -c 2",
    build=send,
    works="each process of the pool is a session; tasks stop there.",
)
async def celery_prefork(trial: Trial) -> None:
    await work_on_one(trial)


@row(
    "Celery, gevent pool",
    group=GROUP,
    pins=["celery==5.7.0", "gevent==26.9.0"],
    files={"tasks.py": CELERY, "send.py": SEND},
    words="-- celery -A tasks worker --pool gevent -c 4",
    build=send,
    works="tasks stop in their greenlets.",
)
async def celery_gevent(trial: Trial) -> None:
    await work_on_one(trial)


@row(
    "Celery, threads pool",
    group=GROUP,
    pins=["celery==5.7.0"],
    files={"tasks.py": CELERY, "send.py": SEND},
    words="-- celery -A tasks worker --pool threads -c 2",
    build=send,
    works="tasks stop in their threads.",
)
async def celery_threads(trial: Trial) -> None:
    await work_on_one(trial)


REDIS = """
import threading
from fakeredis import TcpFakeServer
import redis
class Store:
    def __enter__(self):
        self.server = TcpFakeServer(("127.0.0.1", {port}), server_type="redis")
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return redis.Redis(port={port})
    def __exit__(self, *error):
        self.server.shutdown()
"""

RQ = """
import sys
from store import Store
from rq import Queue, SimpleWorker, Worker
import jobs
def main():
    with Store() as store:
        queue = Queue(connection=store)
        queue.enqueue(jobs.price, 21)
        kind = SimpleWorker if sys.argv[1] == "simple" else Worker
        kind([queue], connection=store).work(burst=True)
main()
"""

JOB = """
def price(order):
    doubled = order * 2  #: first
    print(f"priced {doubled}", flush=True)  #: second
"""
RQ_PINS = ["rq==2.12.0", "fakeredis==2.40.0", "redis==8.1.0"]


@row(
    "RQ",
    group=GROUP,
    pins=RQ_PINS,
    files={"main.py": RQ, "jobs.py": JOB, "store.py": REDIS},
    words="{folder}/main.py forking",
    works="each job is a forked process, and stops there.",
)
async def rq(trial: Trial) -> None:
    await work_on_one(trial)


@row(
    "RQ, SimpleWorker",
    group=GROUP,
    pins=RQ_PINS,
    files={"main.py": RQ, "jobs.py": JOB, "store.py": REDIS},
    words="{folder}/main.py simple",
    works="jobs stop in the worker itself.",
)
async def rq_simple(trial: Trial) -> None:
    await work_on_one(trial)


DRAMATIQ = """
import dramatiq
from dramatiq.brokers.redis import RedisBroker
dramatiq.set_broker(RedisBroker(port={port}))
@dramatiq.actor
def price(order):
    doubled = order * 2  #: first
    print(f"priced {doubled}", flush=True)  #: second
"""

DRAMATIQ_MAIN = """
import sys
from store import Store
with Store():
    import tasks
    tasks.price.send(21)
    from dramatiq.__main__ import main
    sys.argv[1:] = ["tasks", "--processes", "1", "--threads", "2"]
    main()
"""


@row(
    "Dramatiq",
    group=GROUP,
    pins=["dramatiq[redis]==2.2.1", "fakeredis[lua]==2.40.0"],
    files={"tasks.py": DRAMATIQ, "run.py": DRAMATIQ_MAIN, "store.py": REDIS},
    words="{folder}/run.py",
    works="its processes are sessions; actors stop in their threads.",
)
async def dramatiq(trial: Trial) -> None:
    await work_on_one(trial)


HUEY = """
from huey import SqliteHuey
huey = SqliteHuey(filename="queue.db")
@huey.task()
def price(order):
    doubled = order * 2  #: first
    print(f"priced {doubled}", flush=True)  #: second
"""


@row(
    "Huey",
    group=GROUP,
    pins=["huey==3.5.4"],
    files={"tasks.py": HUEY, "send.py": "import tasks\ntasks.price(21)\n"},
    words="-- huey_consumer tasks.huey -k process -w 2",
    build=send,
    works="with `-k process` each worker is a session; tasks stop there.",
)
async def huey(trial: Trial) -> None:
    await work_on_one(trial)
