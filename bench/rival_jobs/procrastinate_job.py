"""Granting by Procrastinate: one job with a time per reward, in PostgreSQL.

With the task that the manual has for jobs of workers that were killed; it runs every minute here, not every ten.
"""

import asyncio
import os
import sys
from datetime import datetime

import procrastinate
import psycopg

STORE = f"host=127.0.0.1 port={os.environ['STORE_PORT']} user=bench dbname=postgres"
VERSION = f"Procrastinate {procrastinate.__version__}"
WORKERS = 2
CONCURRENCY = 10
BATCH = 1000
STALLED_SECONDS = 100
"""How long work of a worker that was killed stays away: 30 seconds without a heartbeat, and the next full minute."""

SETTINGS = {"concurrency": CONCURRENCY, "pool": CONCURRENCY + 2, "retry_stalled_jobs": "every minute"}
app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=STORE, min_size=1, max_size=CONCURRENCY + 2))


@app.task(name="grant")
async def grant(shop: str, member: str, promotion: str, order: str) -> None:
    await app.connector.execute_query_async(
        "INSERT INTO effects (reward) VALUES (%(reward)s)", reward=f"{shop}#{member}#{promotion}#{order}"
    )


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="retry_stalled_jobs", pass_context=True)
async def retry_stalled_jobs(context: procrastinate.JobContext, timestamp: int) -> None:  # noqa: ARG001
    for job in await app.job_manager.get_stalled_jobs():
        await app.job_manager.retry_job(job)


def prepare() -> None:
    asyncio.run(_prepare())


async def _prepare() -> None:
    async with app.open_async():
        await app.connector.execute_query_async("DROP SCHEMA public CASCADE")
        await app.connector.execute_query_async("CREATE SCHEMA public")
        await app.connector.execute_query_async("CREATE TABLE effects (reward text)")
        await app.schema_manager.apply_schema_async()


def schedule(rewards: int, due: datetime) -> None:
    asyncio.run(_schedule(rewards, due))


async def _schedule(rewards: int, due: datetime) -> None:
    jobs = [
        {"shop": "1", "member": f"M{number}", "promotion": "28343", "order": f"TG{number}"} for number in range(rewards)
    ]
    async with app.open_async():
        for first in range(0, rewards, BATCH):
            await grant.configure(schedule_at=due).batch_defer_async(*jobs[first : first + BATCH])


def worker(name: str) -> list[str]:
    common = ["--app=bench.rival_jobs.procrastinate_job.app", "--log-level=warning"]
    return [sys.executable, "-m", "procrastinate", *common, "worker", f"--concurrency={CONCURRENCY}", f"--name={name}"]


def granted() -> int:
    return _count("SELECT count(DISTINCT reward) FROM effects")


def waiting() -> int:
    """Jobs that have not ended yet."""
    return _count("SELECT count(*) FROM procrastinate_jobs WHERE task_name = 'grant' AND status IN ('todo', 'doing')")


def doubled() -> int:
    return _count("SELECT count(*) FROM (SELECT FROM effects GROUP BY reward HAVING count(*) > 1) AS twice")


def _count(query: str) -> int:
    with psycopg.connect(STORE) as connection:
        (count,) = connection.execute(query).fetchone()
    return int(count)
