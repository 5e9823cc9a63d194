"""One stack for these tests, in this process, and the point at which it crashes."""

from collections.abc import Iterator

import boto3
import pytest
import time_machine
import urllib3

from bootstrap import clients
from tests.builders import ORDERED_AT
from tests.fakes.aws import Aws
from tests.fakes.provider_server import provider_server
from tests.faults.crash_points import CrashPoint
from tests.faults.resources import DRAINED_BY, QUEUE, SECRET, bucket_name
from tests.faults.stack import Stack
from tests.steps.conftest import BUCKETS, SETTINGS, TABLES, _forget_clients


@pytest.fixture(scope="module")
def aws() -> Iterator[Aws]:
    aws = Aws()
    yield aws
    aws.close()


@pytest.fixture(scope="module")
def system(aws: Aws) -> Iterator[boto3.Session]:
    """The session that the system makes all its clients of."""
    with pytest.MonkeyPatch.context() as environment:
        names = {name: name for name in ("LEDGER_TABLE", "LETTERS_TABLE", *TABLES)}
        buckets = {bucket: bucket_name(bucket) for bucket in BUCKETS}
        queues = {queue: QUEUE + queue for queue in DRAINED_BY if queue.isupper()}
        own = {"REWARDS_BUS": "rewards", "SHARDS": "1", "PROVIDER_URL": "", "PROVIDER_SECRET": SECRET}
        for name, value in {**SETTINGS, **names, **buckets, **queues, **own}.items():
            environment.setenv(name, value)
        _forget_clients()
        session = boto3.Session(botocore_session=clients.session())
        aws.answers(session)
        yield session
        _forget_clients()


@pytest.fixture(scope="module")
def crash_point(aws: Aws, system: boto3.Session) -> Iterator[CrashPoint]:
    """Of all calls of the system: it makes them by its own session, or by urllib3."""
    crash_point = CrashPoint(system, aws)
    with pytest.MonkeyPatch.context() as libraries:
        libraries.setattr(urllib3.PoolManager, "urlopen", crash_point.on_the_way_to(urllib3.PoolManager.urlopen))
        yield crash_point


@pytest.fixture(scope="module")
def stack(aws: Aws, system: boto3.Session) -> Iterator[Stack]:
    session = boto3.Session()
    aws.answers(session)
    with provider_server() as service, time_machine.travel(ORDERED_AT, tick=False) as clock:
        yield Stack(aws, session, system, service, clock)
