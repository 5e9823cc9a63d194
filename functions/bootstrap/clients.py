"""The clients of AWS, each made when it is first needed.

They are botocore's own: boto3 would add nothing to a client but a tenth of a second to every cold start.
"""

import gc
from functools import cache
from typing import TYPE_CHECKING, cast

from botocore.config import Config
from botocore.session import Session

from adapters.bodies import quick_batches, quick_items

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_events import EventBridgeClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient


@cache
def dynamodb() -> "DynamoDBClient":
    return quick_items(plain_dynamodb())


def plain_dynamodb() -> "DynamoDBClient":
    """A client of its own, for an adapter that reads some answers in its own way.

    What was imported and made until now lives as long as the process: no collection need ever look at it again.
    """
    client = cast("DynamoDBClient", session().create_client("dynamodb", config=_config()))
    gc.freeze()
    return client


@cache
def sqs() -> "SQSClient":
    return quick_batches(cast("SQSClient", session().create_client("sqs", config=_config())))


@cache
def s3() -> "S3Client":
    return cast("S3Client", session().create_client("s3", config=_config()))


@cache
def events() -> "EventBridgeClient":
    return cast("EventBridgeClient", session().create_client("events", config=_config()))


@cache
def secretsmanager() -> "SecretsManagerClient":
    return cast("SecretsManagerClient", session().create_client("secretsmanager", config=_config()))


@cache
def session() -> Session:
    return Session()


@cache
def _config() -> Config:
    """botocore would wait a minute for a reply and ask five times, which outlives most functions; and it would put its
    name together anew for every call, which is a tenth of what a grant costs.
    """
    return Config(
        connect_timeout=2,
        read_timeout=10,
        retries={"mode": "standard", "total_max_attempts": 3},
        user_agent=session().user_agent(),
    )
