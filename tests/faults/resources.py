"""What the stack has in AWS: its tables, queues and buckets, the bus that rewards go out by, and who drains what."""

import boto3

from tests.fakes.tables import make_ledger_table, make_letters_table, make_table
from tests.steps.conftest import BUCKETS, TABLES

ORDER_QUEUES = {
    "OrderPlaced": "occupy",
    "PaymentCompleted": "book",
    "OrderShipped": "rebook",
    "PaymentFailed": "withdraw",
    "OrderCancelled": "withdraw",
    "OrderReturned": "withdraw",
}
DRAINED_BY = {step: step for step in ORDER_QUEUES.values()} | {
    "DISPATCH_QUEUE": "dispatch",
    "GRANT_POINTS_HIGH_QUEUE": "grant_points",
    "GRANT_POINTS_LOW_QUEUE": "grant_points",
    "GRANT_COUPON_HIGH_QUEUE": "grant_coupon",
    "GRANT_COUPON_LOW_QUEUE": "grant_coupon",
    "RECYCLE_POINTS_QUEUE": "recycle_points",
    "RECYCLE_COUPON_QUEUE": "recycle_coupon",
    "TIMERS_QUEUE": "expire",
    "COLLECT_QUEUE": "collect",
    "MATCH_QUEUE": "match",
    "LETTERS_QUEUE": "park",
}
SECRET = "opens-the-service"  # its name in Secrets Manager
QUEUE = "http://sqs.ap-northeast-1.amazonaws.com/000000000000/"
ARN = "arn:aws:sqs:ap-northeast-1:000000000000:"
A_FORTNIGHT = "1209600"


def make_resources(session: boto3.Session) -> None:
    dynamodb, sqs, s3 = session.client("dynamodb"), session.client("sqs"), session.client("s3")
    make_ledger_table(dynamodb, "LEDGER_TABLE")
    make_letters_table(dynamodb, "LETTERS_TABLE")
    for table, keys in TABLES.items():
        make_table(dynamodb, table, *keys)
    for queue in (*DRAINED_BY, "told"):
        sqs.create_queue(QueueName=queue, Attributes={"MessageRetentionPeriod": A_FORTNIGHT})
    for bucket in BUCKETS:
        s3.create_bucket(Bucket=bucket_name(bucket), CreateBucketConfiguration={"LocationConstraint": "ap-northeast-1"})
    _make_rewards_bus(session)


def bucket_name(setting: str) -> str:
    return setting.lower().replace("_", "-")


def _make_rewards_bus(session: boto3.Session) -> None:
    """All that goes out by the bus is kept in the queue `told`."""
    events = session.client("events")
    events.create_event_bus(Name="rewards")
    events.put_rule(Name="all", EventBusName="rewards", EventPattern='{"source": ["rewards"]}')
    events.put_targets(Rule="all", EventBusName="rewards", Targets=[{"Id": "told", "Arn": f"{ARN}told"}])
