"""The embedded cloud lets a step do what its role may, and nothing else: all these tests run so.

Here one right is taken away, from the policy as it is deployed. What the step calls for it is refused, the work comes
back undone; with the right it is done. Not tried is what AWS itself does with a step's role (`BY_AWS`), which the
emulator does without asking, and putting off a message that failed: without that right it comes back all the same, at
its queue's pace. Those rights stand in `tests/infra/test_rights.py`.
"""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, product
from pathlib import Path
from typing import Any, NamedTuple

import boto3
import pytest

from ops import clock
from ops.embedded import cloud
from ops.promotions import store
from ops.stack import Stack
from tests.builders import NOW
from tests.embedded.deeds import DEEDS, PROMOTIONS

pytestmark = pytest.mark.xdist_group("embedded")

BY_AWS = re.compile(
    r"logs:|xray:|sqs:(ReceiveMessage|DeleteMessage|ChangeMessageVisibility|GetQueueAttributes)$"
    r"|dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams)$"
)
names = count(1)


class Right(NamedTuple):
    action: str
    on: str


class Done(NamedTuple):
    """What came of a call of a step: whether its work is done, and what it asked for and was refused."""

    well: bool
    refused: set[str]


class Deployed:
    """A step as it is deployed: its function, its log and the policy of its role."""

    def __init__(self, stack: Stack, session: boto3.Session, endpoint: str, step: str) -> None:
        self._stack, self._step = stack, step
        self._iam: Any = session.client("iam", endpoint_url=endpoint)
        self._logs: Any = session.client("logs", endpoint_url=endpoint)
        functions = stack.functions.get_paginator("list_functions").paginate()
        self._function: Any = next(
            each for page in functions for each in page["Functions"] if each["Handler"] == f"steps.{step}.handler"
        )
        self._role = self._function["Role"].rsplit("/", 1)[-1]
        (self._policy,) = self._iam.list_role_policies(RoleName=self._role)["PolicyNames"]
        self._document = self._iam.get_role_policy(RoleName=self._role, PolicyName=self._policy)["PolicyDocument"]

    def rights(self) -> list[Right]:
        """Those the step itself makes use of, but for looking at the clock, which on AWS no step does."""
        is_clock = Right("dynamodb:GetItem", self._arn_of_table("ControlTableName"))
        return [
            right
            for statement in self._document["Statement"]
            for right in _rights(statement)
            if not BY_AWS.match(right.action) and right != is_clock
        ]

    @contextmanager
    def without(self, right: Right) -> Iterator[None]:
        """The role has every right but this one."""
        kept = [each for statement in self._document["Statement"] for each in _rights(statement) if each != right]
        self._put([{"Effect": "Allow", "Action": action, "Resource": on} for action, on in kept])
        try:
            yield
        finally:
            self._put(self._document["Statement"])

    def do(self, event: dict[str, Any]) -> Done:
        began = int(time.time() * 1000)
        answered = self._stack.functions.invoke(
            FunctionName=self._function["FunctionName"], Payload=json.dumps(event).encode()
        )
        answer = json.load(answered["Payload"])
        failed = "FunctionError" in answered or (isinstance(answer, dict) and answer.get("batchItemFailures"))
        log = self._logs.filter_log_events(logGroupName=self._function["LoggingConfig"]["LogGroup"], startTime=began)
        lines = [line["message"] for line in log["events"]]
        return Done(not failed, set(re.findall(r"not authorized to perform: ([\w:]+)", "\n".join(lines))))

    def _put(self, statements: list[dict[str, Any]]) -> None:
        document = json.dumps({**self._document, "Statement": statements})
        self._iam.put_role_policy(RoleName=self._role, PolicyName=self._policy, PolicyDocument=document)

    def _arn_of_table(self, output: str) -> str:
        return self._stack.dynamodb.describe_table(TableName=self._stack[output])["Table"]["TableArn"]


def _rights(statement: dict[str, Any]) -> list[Right]:
    actions, resources = (
        value if isinstance(value, list) else [value] for value in (statement["Action"], statement["Resource"])
    )
    return [Right(action, on) for action, on in product(actions, resources)]


@pytest.fixture
def deployed(data: Path, stack: Stack) -> Callable[[str], Deployed]:
    running = cloud.running(data)
    assert running
    store(PROMOTIONS, stack)
    clock.move_to(stack, NOW)
    session = boto3.Session(cloud.CREDENTIALS, cloud.CREDENTIALS, region_name=cloud.REGION)
    return lambda step: Deployed(stack, session, running.endpoint, step)


@pytest.mark.parametrize("step", DEEDS)
def test_without_one_of_its_rights_a_step_does_not_do_its_work(
    step: str, stack: Stack, deployed: Callable[[str], Deployed]
) -> None:
    one = deployed(step)
    for right in one.rights():
        event = DEEDS[step](stack, f"{step}-{next(names)}")
        with one.without(right):
            done = one.do(event)
        if right.action in done.refused:
            break
    assert not done.well
    assert right.action in done.refused
    assert one.do(event) == Done(well=True, refused=set())
