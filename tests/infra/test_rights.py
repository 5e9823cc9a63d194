"""Each step may do exactly what is in this table, and nothing else."""

import pytest

from tests.infra.template import Template

SEND = {"sqs:SendMessage"}
READ_QUEUE = {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}
DRAIN = READ_QUEUE | {"sqs:ChangeMessageVisibility"}
DECIDE = {"dynamodb:Query", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"}
GIVE_BACK = {"dynamodb:UpdateItem"}
TAKE = {"dynamodb:BatchGetItem", *GIVE_BACK}
CLAIM = {"dynamodb:GetItem", "dynamodb:UpdateItem"}
CLAIM_MANY = {"dynamodb:BatchGetItem", "dynamodb:PartiQLUpdate", *CLAIM}
GRANT = {"dynamodb:PutItem", "dynamodb:PartiQLInsert"}
RECLAIM = {"dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem"}
ISSUE = {"dynamodb:PutItem", "dynamodb:UpdateItem"}
REVOKE = {"dynamodb:GetItem", *ISSUE}
KEEP = {"dynamodb:GetItem", "dynamodb:PutItem"}
READ_STREAM = {"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"}
DUE = "Ledger/Table/index/BookingDateUTC-BookingTimeUTC-index"
THE_SECRET = "arn:AWS::Partition:secretsmanager:AWS::Region:AWS::AccountId:secret:rewards/provider-??????"

RIGHTS = {
    "occupy": {
        "Orders/OccupyQueue": DRAIN,
        "Ledger/Table": DECIDE,
        "Ledger/Quota": TAKE,
        "Promotions/Table": {"dynamodb:Query"},
        "Expiring/Timers": SEND,
        "Letters/Queue": SEND,
    },
    "expire": {
        "Expiring/Timers": DRAIN | SEND,
        "Ledger/Table": CLAIM,
        "Ledger/Quota": GIVE_BACK,
        "Letters/Queue": SEND,
    },
    "book": {
        "Orders/BookQueue": DRAIN,
        "Ledger/Table": DECIDE,
        "Ledger/Quota": TAKE,
        "Promotions/Table": {"dynamodb:Query"},
        "Granting/PointsHigh": SEND,
        "Granting/CouponHigh": SEND,
        "Letters/Queue": SEND,
    },
    "rebook": {
        "Orders/RebookQueue": DRAIN,
        "Ledger/Table": DECIDE,
        "Granting/PointsHigh": SEND,
        "Granting/CouponHigh": SEND,
        "Letters/Queue": SEND,
    },
    "withdraw": {
        "Orders/WithdrawQueue": DRAIN,
        "Ledger/Table": DECIDE,
        "Ledger/Quota": GIVE_BACK,
        "Recycling/Points": SEND,
        "Recycling/Coupon": SEND,
        "Letters/Queue": SEND,
    },
    "collect": {
        "Importing/CollectQueue": DRAIN | SEND,
        "Importing/MatchQueue": SEND,
        "Importing/Bucket/*": {"s3:GetObject", "s3:PutObject"},
        "Importing/Bucket": {"s3:ListBucket"},
        "Importing/FailedRuns": SEND,
        "Letters/Queue": SEND,
    },
    "match": {
        "Importing/MatchQueue": DRAIN | SEND,
        "Ledger/Table": DECIDE,
        "Ledger/Quota": TAKE,
        "Promotions/Table": {"dynamodb:Query"},
        "Granting/PointsHigh": SEND,
        "Granting/CouponHigh": SEND,
        "Recycling/Points": SEND,
        "Recycling/Coupon": SEND,
        "Letters/Queue": SEND,
    },
    "plan": {
        "Control/Table": KEEP,
        "Planning/DispatchQueue": SEND,
        "Planning/FailedPlans": SEND,
    },
    "dispatch": {
        "Planning/DispatchQueue": DRAIN | SEND,
        DUE: {"dynamodb:Query"},
        "Control/Table": {"dynamodb:GetItem"},
        "Tasks/Bucket/*": {"s3:PutObject"},
        "Granting/PointsLow": SEND,
        "Granting/CouponLow": SEND,
        "Recycling/Points": SEND,
        "Recycling/Coupon": SEND,
        "Letters/Queue": SEND,
    },
    "grant_points": {
        "Granting/PointsHigh": DRAIN,
        "Granting/PointsLow": DRAIN | SEND,
        "Recycling/Points": SEND,
        "Ledger/Table": CLAIM_MANY,
        "Ledger/Quota": GIVE_BACK,
        "Wallet/Table": GRANT,
        "Control/Table": KEEP,
        "Tasks/Bucket/*": {"s3:GetObject"},
        "Tasks/Bucket": {"s3:ListBucket"},
        "Letters/Queue": SEND,
    },
    "grant_coupon": {
        "Granting/CouponHigh": DRAIN,
        "Granting/CouponLow": DRAIN | SEND,
        "Recycling/Coupon": SEND,
        "Ledger/Table": CLAIM_MANY,
        "Ledger/Quota": GIVE_BACK,
        "Wallet/Coupons": ISSUE,
        "Control/Table": KEEP,
        "Tasks/Bucket/*": {"s3:GetObject"},
        "Tasks/Bucket": {"s3:ListBucket"},
        "Letters/Queue": SEND,
    },
    "recycle_points": {
        "Recycling/Points": DRAIN | SEND,
        "Ledger/Table": CLAIM_MANY,
        "Wallet/Table": RECLAIM,
        "Control/Table": KEEP,
        "Tasks/Bucket/*": {"s3:GetObject"},
        "Tasks/Bucket": {"s3:ListBucket"},
        "Letters/Queue": SEND,
    },
    "recycle_coupon": {
        "Recycling/Coupon": DRAIN | SEND,
        "Ledger/Table": CLAIM_MANY,
        "Wallet/Coupons": REVOKE,
        "Control/Table": KEEP,
        "Tasks/Bucket/*": {"s3:GetObject"},
        "Tasks/Bucket": {"s3:ListBucket"},
        "Letters/Queue": SEND,
    },
    "sweep": {
        "Control/Table": KEEP,
        DUE: {"dynamodb:Query"},
        "Tasks/Bucket/*": {"s3:PutObject"},
        "Granting/PointsLow": SEND | {"sqs:GetQueueAttributes"},
        "Granting/CouponLow": SEND | {"sqs:GetQueueAttributes"},
        "Recycling/Points": SEND | {"sqs:GetQueueAttributes"},
        "Recycling/Coupon": SEND | {"sqs:GetQueueAttributes"},
        "Expiring/Timers": SEND,
        "Sweeping/FailedSweeps": SEND,
    },
    "publish": {
        "Ledger/Table": {"dynamodb:BatchWriteItem"} | READ_STREAM,
        "Publishing/Bus": {"events:PutEvents"},
        "Letters/Queue": SEND,
        "Letters/Bucket/*": {"s3:PutObject"},
        "Letters/Bucket": {"s3:ListBucket"},
    },
    "audit": {
        "Ledger/Table": {"dynamodb:GetItem"} | READ_STREAM,
        "Auditing/Findings/*": {"s3:PutObject"},
        "Letters/Bucket/*": {"s3:PutObject"},
        "Letters/Bucket": {"s3:ListBucket"},
    },
    "park": {
        "Letters/Bucket/*": {"s3:PutObject", "s3:GetObject"},
        "Letters/Table": {"dynamodb:PutItem"},
        "Letters/Queue": READ_QUEUE,
        "Letters/SetAside": READ_QUEUE,
        "Orders/OccupyQueueDeadLetters": READ_QUEUE,
        "Orders/BookQueueDeadLetters": READ_QUEUE,
        "Orders/RebookQueueDeadLetters": READ_QUEUE,
        "Orders/WithdrawQueueDeadLetters": READ_QUEUE,
        "Orders/UnknownEvents": READ_QUEUE,
        "Orders/Undelivered": READ_QUEUE,
        "Expiring/TimersDeadLetters": READ_QUEUE,
        "Importing/CollectQueueDeadLetters": READ_QUEUE,
        "Importing/MatchQueueDeadLetters": READ_QUEUE,
        "Importing/FailedRuns": READ_QUEUE,
        "Importing/Undelivered": READ_QUEUE,
        "Planning/DispatchQueueDeadLetters": READ_QUEUE,
        "Planning/FailedPlans": READ_QUEUE,
        "Planning/Undelivered": READ_QUEUE,
        "Granting/PointsHighDeadLetters": READ_QUEUE,
        "Granting/PointsLowDeadLetters": READ_QUEUE,
        "Granting/CouponHighDeadLetters": READ_QUEUE,
        "Granting/CouponLowDeadLetters": READ_QUEUE,
        "Recycling/PointsDeadLetters": READ_QUEUE,
        "Recycling/CouponDeadLetters": READ_QUEUE,
        "Sweeping/FailedSweeps": READ_QUEUE,
        "Sweeping/Undelivered": READ_QUEUE,
    },
}
WITHOUT_RESOURCE = {"xray:PutTraceSegments", "xray:PutTelemetryRecords"}


def test_every_step_is_in_the_table(dev: Template) -> None:
    assert dev.functions().keys() == RIGHTS.keys()


@pytest.mark.parametrize("step", RIGHTS)
def test_a_step_has_exactly_its_rights(dev: Template, step: str) -> None:
    rights = dev.rights(step)
    log = next(name for name in rights if name.endswith(f"/{step}/Log"))
    assert rights.pop(log) == {"logs:CreateLogStream", "logs:PutLogEvents"}
    assert rights.pop("*") - {"dynamodb:ListStreams"} == WITHOUT_RESOURCE
    assert rights == RIGHTS[step]


@pytest.mark.parametrize("step", RIGHTS)
def test_where_a_service_is_the_provider_its_secret_stands_in_for_the_wallet(
    dev: Template, with_service: Template, step: str
) -> None:
    rights = dev.rights(step)
    if rights.pop("Wallet/Table", None) or rights.pop("Wallet/Coupons", None):
        rights[THE_SECRET] = {"secretsmanager:GetSecretValue"}
    assert with_service.rights(step) == rights


def test_only_two_may_ask_for_streams(dev: Template) -> None:
    assert [step for step in RIGHTS if "dynamodb:ListStreams" in dev.rights(step)["*"]] == ["publish", "audit"]


@pytest.mark.parametrize("step", RIGHTS)
def test_on_the_embedded_cloud_every_step_may_read_the_clock_besides(
    dev: Template, embedded: Template, step: str
) -> None:
    rights = dev.rights(step)
    rights["Control/Table"] = rights.get("Control/Table", set()) | {"dynamodb:GetItem"}
    assert embedded.rights(step) == rights
    assert embedded.environment(step)["EMBEDDED_CLOCK"] == "true"


def test_on_aws_no_step_can_have_its_clock_moved(dev: Template, prod: Template) -> None:
    for template in (dev, prod):
        assert not [step for step in RIGHTS if "EMBEDDED_CLOCK" in template.environment(step)]


def test_every_role_is_of_one_function_only(dev: Template) -> None:
    roles = [str(function["Role"]) for function in dev.functions().values()]
    assert len(set(roles)) == len(roles)
    assert not any(
        "ManagedPolicyArns" in role for name, role in dev.all("AWS::IAM::Role").items() if "Custom" not in name
    )
