"""One stack for these tests, in this process, and the point at which it crashes."""

from collections.abc import Iterator

import boto3
import pytest
import time_machine

from bootstrap import clients
from tests.builders import ORDERED_AT
from tests.fakes.aws import Aws
from tests.faults.crash_points import CrashPoint
from tests.faults.resources import DRAINED_BY, QUEUE, bucket_name
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
        for name, value in {**SETTINGS, **names, **buckets, **queues, "REWARDS_BUS": "rewards", "SHARDS": "1"}.items():
            environment.setenv(name, value)
        _forget_clients()
        session = boto3.Session(botocore_session=clients.session())
        aws.answers(session)
        yield session
        _forget_clients()


@pytest.fixture(scope="module")
def crash_point(aws: Aws, system: boto3.Session) -> CrashPoint:
    return CrashPoint(system, aws)


@pytest.fixture(scope="module")
def stack(aws: Aws, system: boto3.Session) -> Iterator[Stack]:
    session = boto3.Session()
    aws.answers(session)
    with time_machine.travel(ORDERED_AT, tick=False) as clock:
        yield Stack(aws, session, system, clock)
