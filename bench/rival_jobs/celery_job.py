"""Granting by Celery: one task with an ETA per reward, with Redis as its broker.

Set up as the manual has it for work that must not be lost: acknowledged late, rejected when a worker is lost, one task
fetched ahead, and invisible for longer than the longest ETA.
"""

import os
import sys
from datetime import datetime

import redis
from celery import Celery, __version__

PORT = int(os.environ["STORE_PORT"])
INVISIBLE_SECONDS = int(os.environ["INVISIBLE_SECONDS"])
VERSION = f"Celery {__version__}"
WORKERS = 2
STALLED_SECONDS = INVISIBLE_SECONDS + 100
"""How long work of a worker that was killed stays away: workers look for what is visible again every 100 seconds."""

SETTINGS = {
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,
    "task_ignore_result": True,
    "worker_prefetch_multiplier": 1,
    "visibility_timeout": INVISIBLE_SECONDS,
    "broker_transport_options": {"visibility_timeout": INVISIBLE_SECONDS},
    "result_backend_transport_options": {"visibility_timeout": INVISIBLE_SECONDS},
    "broker_connection_retry_on_startup": True,
}
queue, effects = (redis.Redis(port=PORT, db=database) for database in (0, 1))
app = Celery("celery_job", broker=f"redis://127.0.0.1:{PORT}/0")
app.conf.update(SETTINGS)


@app.task(name="grant")
def grant(shop: str, member: str, promotion: str, order: str) -> None:
    effects.hincrby("effects", f"{shop}#{member}#{promotion}#{order}", 1)


def prepare() -> None:
    queue.flushall()


def schedule(rewards: int, due: datetime) -> None:
    with app.producer_pool.acquire(block=True) as producer:
        for number in range(rewards):
            grant.apply_async(("1", f"M{number}", "28343", f"TG{number}"), eta=due, producer=producer)


def worker(name: str) -> list[str]:
    options = ["--concurrency=1", f"--hostname={name}", "--loglevel=ERROR", "--without-gossip", "--without-mingle"]
    return [sys.executable, "-m", "celery", "--app=bench.rival_jobs.celery_job", "worker", *options]


def granted() -> int:
    return int(effects.hlen("effects"))


def waiting() -> int:
    """Messages that no worker has acknowledged yet."""
    return int(queue.llen("celery")) + int(queue.hlen("unacked"))


def doubled() -> int:
    return sum(int(times) > 1 for times in effects.hvals("effects"))
