"""The ledger's stream: history never wakes its readers, and a record that cannot be read blocks nobody for long."""

import json

import pytest

from tests.infra.template import Properties, Template

READERS = pytest.mark.parametrize("step", ["publish", "audit"])


def stream(template: Template, step: str) -> Properties:
    (mapping,) = (
        mapping
        for mapping in template.all("AWS::Lambda::EventSourceMapping").values()
        if "StreamArn" in str(mapping["EventSourceArn"])
        and template.target(mapping["FunctionName"]).split("/")[1] == step
    )
    return mapping


def test_the_stream_has_the_row_before_and_after(dev: Template) -> None:
    ledger = dev.all("AWS::DynamoDB::Table")["Ledger/Table"]
    assert ledger["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}


@READERS
def test_only_rewards_wake_a_reader(dev: Template, step: str) -> None:
    patterns = [json.loads(each["Pattern"]) for each in stream(dev, step)["FilterCriteria"]["Filters"]]
    assert patterns == [{"dynamodb": {"Keys": {"Item": {"S": [{"prefix": "REWARD#"}]}}}}]


@READERS
def test_a_poison_record_is_isolated_then_kept_whole(dev: Template, step: str) -> None:
    mapping = stream(dev, step)
    assert mapping["BisectBatchOnFunctionError"] is True
    assert mapping["MaximumRetryAttempts"] == 10
    assert mapping["MaximumRecordAgeInSeconds"] < 24 * 3600
    assert dev.target(mapping["DestinationConfig"]["OnFailure"]["Destination"]) == "Letters/Bucket"


def test_the_bucket_tells_park_of_what_was_set_aside(dev: Template) -> None:
    letters = dev.all("AWS::S3::Bucket")["Letters/Bucket"]["NotificationConfiguration"]["QueueConfigurations"]
    (told,) = letters
    assert told["Event"] == "s3:ObjectCreated:*"
    assert told["Filter"] == {"S3Key": {"Rules": [{"Name": "prefix", "Value": "aws/lambda/"}]}}
    assert dev.target(told["Queue"]) == "Letters/SetAside"


def test_only_buckets_of_the_account_may_send_to_that_queue(dev: Template) -> None:
    policy = dev.all("AWS::SQS::QueuePolicy")["Letters/SetAside/Policy"]["PolicyDocument"]
    (allowed,) = (statement for statement in policy["Statement"] if statement["Effect"] == "Allow")
    assert allowed["Principal"] == {"Service": "s3.amazonaws.com"}
    assert allowed["Action"] == "sqs:SendMessage"
    assert allowed["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}


@READERS
def test_nothing_is_missed_when_the_stream_is_first_read(dev: Template, step: str) -> None:
    assert stream(dev, step)["StartingPosition"] == "TRIM_HORIZON"
