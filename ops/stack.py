"""The deployed stack: what its outputs name, and clients to reach it with.

On AWS and on the embedded cloud alike it is CloudFormation that knows the outputs.
"""

import getpass
import json
import os
from datetime import time, timedelta
from functools import cached_property
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from ops.embedded import cloud
from ops.folders import data_folder
from ops.trouble import Trouble
from rewards.booking_time import Buckets
from rewards.timetable import Timetable

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_events import EventBridgeClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_scheduler import EventBridgeSchedulerClient
    from mypy_boto3_sqs import SQSClient

NAME = os.environ.get("REWARDS_STACK") or "Rewards-dev"
PATIENCE = Config(connect_timeout=5, read_timeout=120, retries={"total_max_attempts": 4, "mode": "standard"})


class Stack:
    """One deployed stack; `embedded` if it stands on the embedded cloud."""

    def __init__(self, session: boto3.Session, endpoint: str | None = None) -> None:
        self._session = session
        self._endpoint = endpoint
        self.embedded = endpoint is not None

    @cached_property
    def outputs(self) -> dict[str, str]:
        try:
            (stack,) = self.cloudformation.describe_stacks(StackName=NAME)["Stacks"]
        except ClientError as error:
            if error.response["Error"]["Code"] != "ValidationError":
                raise
            raise Trouble(f"There is no stack {NAME} here; deploy it first ({self._how_to_deploy}).") from None
        return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}

    def __getitem__(self, output: str) -> str:
        if output not in self.outputs:
            raise Trouble(f"The stack has no output {output}: it is of another version than this command.")
        return self.outputs[output]

    @cached_property
    def queues(self) -> list[str]:
        """The addresses of all queues of the stack, those for dead letters too."""
        urls: list[str] = json.loads(self["WorkQueueUrls"]) + json.loads(self["DeadLetterQueueUrls"])
        return urls

    @cached_property
    def zone(self) -> ZoneInfo:
        """The zone the stack's days and hours are of."""
        return ZoneInfo(self["TimeZone"])

    @cached_property
    def timetable(self) -> Timetable:
        """The times the functions go by: the same settings as they have."""
        told = self._settings
        return Timetable(
            zone=self.zone,
            buckets=Buckets(int(told["BUCKET_COUNT"]), int(told["START_HOUR"])),
            period=timedelta(minutes=int(told["DISPATCH_PERIOD_MINUTES"])),
            shards=int(told["SHARDS"]),
            retry_hours=tuple(map(int, told["RETRY_HOURS"].split(","))),
            recycles_at=time.fromisoformat(told["RECYCLE_TIME"]),
        )

    @cached_property
    def provider(self) -> str:
        """Who holds points and coupons: the `wallet` that is built in, or somebody else's service over `http`."""
        if "PROVIDER" not in self._settings:
            raise Trouble("The stack does not say which its provider is: it is of another version than this command.")
        return self._settings["PROVIDER"]

    @cached_property
    def operator(self) -> str:
        """Who is at work here, for the history: the identity that AWS knows, else the name on this machine."""
        if self.embedded:
            return getpass.getuser()
        identity = self._session.client("sts", config=PATIENCE).get_caller_identity()
        return str(identity["Arn"]).rsplit("/", 1)[-1]

    @cached_property
    def _settings(self) -> dict[str, str]:
        settings: dict[str, str] = json.loads(self["Settings"])
        return settings

    @property
    def _how_to_deploy(self) -> str:
        return "rewards up" if self.embedded else "cdk deploy"

    @cached_property
    def cloudformation(self) -> "CloudFormationClient":
        return self._session.client("cloudformation", endpoint_url=self._endpoint, config=PATIENCE)

    @cached_property
    def dynamodb(self) -> "DynamoDBClient":
        return self._session.client("dynamodb", endpoint_url=self._endpoint, config=PATIENCE)

    @cached_property
    def events(self) -> "EventBridgeClient":
        return self._session.client("events", endpoint_url=self._endpoint, config=PATIENCE)

    @cached_property
    def functions(self) -> "LambdaClient":
        return self._session.client("lambda", endpoint_url=self._endpoint, config=PATIENCE)

    @cached_property
    def s3(self) -> "S3Client":
        return self._session.client("s3", endpoint_url=self._endpoint, config=PATIENCE)

    @cached_property
    def scheduler(self) -> "EventBridgeSchedulerClient":
        return self._session.client("scheduler", endpoint_url=self._endpoint, config=PATIENCE)

    @cached_property
    def sqs(self) -> "SQSClient":
        return self._session.client("sqs", endpoint_url=self._endpoint, config=PATIENCE)


def connect(*, aws: bool) -> Stack:
    """The stack the operator means: the one on AWS, or the one on the embedded cloud of this folder."""
    if aws:
        return Stack(boto3.Session())
    running = cloud.running(data_folder())
    if running is None:
        raise Trouble("The embedded cloud is not running: start it with `rewards up`, or say --aws to work on AWS.")
    return embedded_stack(running)


def embedded_stack(running: cloud.EmbeddedCloud) -> Stack:
    credentials = cloud.CREDENTIALS
    session = boto3.Session(credentials, credentials, region_name=cloud.REGION)
    return Stack(session, running.endpoint)
