"""The embedded cloud's clock: how far its time is from ours, kept where every function reads it."""

from datetime import UTC, datetime, timedelta

from adapters.control import DynamoControl
from ops.stack import Stack


def now(stack: Stack) -> datetime:
    """What time it is in the stack; on AWS that is simply now."""
    offset = timedelta(0)
    if stack.embedded:
        offset = DynamoControl(stack.dynamodb, stack["ControlTableName"]).clock_offset()
    return datetime.now(UTC) + offset


def move_to(stack: Stack, at: datetime) -> None:
    """From now on it is `at` in the stack, and time goes on from there."""
    seconds = round((at - datetime.now(UTC)).total_seconds())
    item = {"Item": {"S": "CLOCK"}, "OffsetSeconds": {"N": str(seconds)}}
    stack.dynamodb.put_item(TableName=stack["ControlTableName"], Item=item)
