"""What a quick client promises: the arguments and answers of a plain one, and its errors, on the same DynamoDB.

MiniStack is asked, which tells the truth about batches and transactions; its queues too.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any
from zlib import crc32

import boto3
import msgspec
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.exceptions import ClientError

from adapters.bodies import LEAST, quick_batches, quick_items, read_as
from tests.fakes.aws import Aws, Body
from tests.fakes.tables import make_table

Act = Callable[[Any], Any]
ROW = {
    "Order": {"S": "1#TG1"},
    "Item": {"S": 'REWARD#ünïç"\\\t\u2028'},
    "Points": {"N": "79"},
    "Is": {"BOOL": True},
    "Lines": {"L": [{"S": "1"}, {"M": {"amount": {"S": "1000"}, "empty": {"M": {}}}}]},
}


class Both:
    """A plain client and a quick one, each of a table of its own that nothing stands in."""

    def __init__(self, aws: Aws, session: boto3.Session) -> None:
        self._aws = aws
        self.plain = session.client("dynamodb")
        self.quick = quick_items(session.client("dynamodb", config=Config(retries={"mode": "standard"})))

    def answer(self, act: Act) -> Any:
        """What both answered alike, or the code of the error that both were told."""
        plain, quick = (self._answer(client, act) for client in (self.plain, self.quick))
        assert quick == plain
        return quick

    def _answer(self, client: Any, act: Act) -> Any:
        self._aws.forget()
        make_table(client, "ledger", "Order", "Item")
        try:
            return _without_metadata(act(client))
        except ClientError as error:
            return type(error).__name__, _without_metadata(error.response)


@pytest.fixture
def both(aws: Aws, session: boto3.Session) -> Both:
    return Both(aws, session)


def _without_metadata(answer: Any) -> Any:
    """The answer, its headers and its number aside; there is metadata, and it says how the call went."""
    if isinstance(answer, list):
        return [_without_metadata(each) for each in answer]
    told = answer.pop("ResponseMetadata")
    assert told["RequestId"]
    assert told["HTTPHeaders"]
    return answer | {"ResponseMetadata": (told["HTTPStatusCode"], told["RetryAttempts"])}


def a_row(number: int, **fields: Any) -> dict[str, Any]:
    return {**ROW, "Item": {"S": f"REWARD#{number:03}"}, **fields}


def key(row: dict[str, Any]) -> dict[str, Any]:
    return {"Order": row["Order"], "Item": row["Item"]}


def stored(client: Any, rows: int) -> None:
    for number in range(rows):
        client.put_item(TableName="ledger", Item=a_row(number))


OF_ORDER: dict[str, Any] = {
    "TableName": "ledger",
    "KeyConditionExpression": "#Order = :order",
    "ExpressionAttributeNames": {"#Order": "Order"},
    "ExpressionAttributeValues": {":order": ROW["Order"]},
}


def test_a_row_is_read_as_it_was_written(both: Both) -> None:
    def act(client: Any) -> list[Any]:
        put = client.put_item(TableName="ledger", Item=ROW)
        return [put, client.get_item(TableName="ledger", Key=key(ROW), ConsistentRead=True)]

    assert both.answer(act)[1]["Item"] == ROW


def test_a_row_that_is_not_there_is_absent(both: Both) -> None:
    assert "Item" not in both.answer(lambda client: client.get_item(TableName="ledger", Key=key(ROW)))


def test_what_a_change_returns(both: Both) -> None:
    def act(client: Any) -> list[Any]:
        stored(client, 1)
        return [
            client.update_item(
                TableName="ledger",
                Key=key(a_row(0)),
                UpdateExpression="SET Points = :more",
                ExpressionAttributeValues={":more": {"N": "80"}},
                ReturnValues="ALL_NEW",
            ),
            client.delete_item(TableName="ledger", Key=key(a_row(0)), ReturnValues="ALL_OLD"),
        ]

    assert [answer["Attributes"]["Points"] for answer in both.answer(act)] == [{"N": "80"}, {"N": "80"}]


def test_pages_and_what_they_go_on_from(both: Both) -> None:
    def act(client: Any) -> list[Any]:
        stored(client, 5)
        return [*client.get_paginator("query").paginate(**OF_ORDER, PaginationConfig={"PageSize": 2})]

    assert [page["Count"] for page in both.answer(act)] == [2, 2, 1]


def test_a_page_on_which_nothing_passed_the_filter_is_empty_and_not_the_last(both: Both) -> None:
    def act(client: Any) -> list[Any]:
        stored(client, 4)
        pages = client.get_paginator("scan").paginate(
            TableName="ledger",
            FilterExpression="#Item = :last",
            ExpressionAttributeNames={"#Item": "Item"},
            ExpressionAttributeValues={":last": {"S": "REWARD#003"}},
            PaginationConfig={"PageSize": 2},
        )
        return [*pages]

    first, *_ = both.answer(act)
    assert first["Items"] == []
    assert first["LastEvaluatedKey"] == key(a_row(1))


def test_many_rows_at_once(both: Both) -> None:
    def act(client: Any) -> list[Any]:
        puts = [{"PutRequest": {"Item": a_row(number)}} for number in range(3)]
        written = client.batch_write_item(RequestItems={"ledger": puts})
        keys = [key(a_row(number)) for number in range(4)]
        read = client.batch_get_item(RequestItems={"ledger": {"Keys": keys, "ConsistentRead": True}})
        read["Responses"]["ledger"].sort(key=lambda row: row["Item"]["S"])
        gets = [{"Get": {"TableName": "ledger", "Key": each}} for each in keys]
        return [written, read, client.transact_get_items(TransactItems=gets)]

    _, read, got = both.answer(act)
    assert len(read["Responses"]["ledger"]) == 3
    assert got["Responses"] == [*({"Item": a_row(number)} for number in range(3)), {}]


def test_each_statement_of_a_batch_answers_for_itself(both: Both) -> None:
    def act(client: Any) -> Any:
        stored(client, 2)
        statement = (
            'UPDATE "ledger" SET "Points" = ? WHERE "Order" = ? AND "Item" = ? AND "Points" = ? RETURNING ALL NEW *'
        )
        return client.batch_execute_statement(
            Statements=[
                {
                    "Statement": statement,
                    "Parameters": [{"N": "80"}, ROW["Order"], a_row(number)["Item"], {"N": read}],
                    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                }
                for number, read in ((0, "79"), (1, "78"), (2, "79"))
            ]
        )

    done, failed, absent = both.answer(act)["Responses"]
    assert done["Item"]["Points"] == {"N": "80"}
    assert failed["Error"]["Code"] == absent["Error"]["Code"] == "ConditionalCheckFailed"


def test_a_condition_that_fails_brings_the_item_that_stood_there(both: Both) -> None:
    def act(client: Any) -> Any:
        stored(client, 1)
        return client.put_item(
            TableName="ledger",
            Item=a_row(0),
            ConditionExpression="attribute_not_exists(#Order)",
            ExpressionAttributeNames={"#Order": "Order"},
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )

    name, answer = both.answer(act)
    assert (name, answer["Item"]) == ("ConditionalCheckFailedException", a_row(0))


def test_a_cancelled_transaction_says_why_for_each_action(both: Both) -> None:
    def act(client: Any) -> Any:
        stored(client, 1)
        condition = {
            "ConditionExpression": "attribute_not_exists(#Order)",
            "ExpressionAttributeNames": {"#Order": "Order"},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        puts = [{"Put": {"TableName": "ledger", "Item": a_row(number), **condition}} for number in (1, 0)]
        return client.transact_write_items(TransactItems=puts)

    name, answer = both.answer(act)
    assert name == "TransactionCanceledException"
    assert [reason["Code"] for reason in answer["CancellationReasons"]] == ["None", "ConditionalCheckFailed"]
    assert answer["CancellationReasons"][1]["Item"] == a_row(0)


@pytest.mark.parametrize(
    "act",
    [
        lambda client: client.query(**{**OF_ORDER, "TableName": "nowhere"}),
        lambda client: client.get_item(TableName="ledger", Key={"Order": {"S": "1"}}),
        lambda client: client.update_item(TableName="ledger", Key=key(ROW), UpdateExpression="ADD #No :no"),
    ],
    ids=["no table", "half a key", "no update"],
)
def test_what_is_wrong_is_told_alike(both: Both, act: Act) -> None:
    name, _ = both.answer(act)
    assert name in ("ResourceNotFoundException", "ClientError")


def test_the_arguments_are_left_as_the_caller_gave_them(both: Both) -> None:
    arguments: dict[str, Any] = {"TransactItems": [{"Put": {"TableName": "ledger", "Item": ROW}}]}
    before = deepcopy(arguments)
    both.answer(lambda client: client.transact_write_items(**arguments))
    assert arguments == before


class Sent:
    """The bodies that one client sends, and what is answered instead of the first ones."""

    def __init__(self, client: Any, aws: Aws, instead: list[tuple[int, bytes]]) -> None:
        self.bodies: list[dict[str, Any]] = []
        self._aws = aws
        self._instead = instead
        client.meta.events.register_first("before-send", self._note)

    def _note(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        self.bodies.append(msgspec.json.decode(request.body))
        answer: AWSResponse = self._aws.answer(request)
        if not self._instead:
            return answer
        status, body = self._instead.pop(0)
        return AWSResponse(request.url, status, {"x-amz-crc32": str(crc32(answer.content))}, Body(body))


UNAVAILABLE = (500, b'{"__type": "InternalServerError"}')


def test_a_transaction_that_botocore_tries_again_has_the_same_token(both: Both, aws: Aws) -> None:
    make_table(both.quick, "ledger", "Order", "Item")
    sent = Sent(both.quick, aws, [UNAVAILABLE])
    answer = both.quick.transact_write_items(TransactItems=[{"Put": {"TableName": "ledger", "Item": ROW}}])
    both.quick.transact_write_items(TransactItems=[{"Put": {"TableName": "ledger", "Item": ROW}}])
    assert answer["ResponseMetadata"]["RetryAttempts"] == 1
    first, second, another = [body["ClientRequestToken"] for body in sent.bodies]
    assert first
    assert first == second != another
    assert sent.bodies[0] == sent.bodies[1]


def test_a_token_of_the_callers_own_is_kept(both: Both, aws: Aws) -> None:
    make_table(both.quick, "ledger", "Order", "Item")
    sent = Sent(both.quick, aws, [])
    puts: Any = [{"Put": {"TableName": "ledger", "Item": ROW}}]
    both.quick.transact_write_items(TransactItems=puts, ClientRequestToken="mine")
    assert sent.bodies == [{"TransactItems": puts, "ClientRequestToken": "mine"}]


@pytest.mark.parametrize("damaged", [b'{"Item": {"Ord', b'{"Item": {}}'], ids=["cut", "changed"])
def test_an_answer_that_was_damaged_on_its_way_is_asked_for_again(both: Both, aws: Aws, damaged: bytes) -> None:
    make_table(both.quick, "ledger", "Order", "Item")
    both.quick.put_item(TableName="ledger", Item=ROW)
    sent = Sent(both.quick, aws, [(200, damaged)])
    assert both.quick.get_item(TableName="ledger", Key=key(ROW))["Item"] == ROW
    assert len(sent.bodies) == 2


@pytest.mark.parametrize("operation", LEAST)
def test_no_operation_on_items_has_answers_that_json_alone_does_not_say(session: boto3.Session, operation: str) -> None:
    """A time would come as a number; a blob is one where an attribute holds bytes, and ours hold none."""
    model = session.client("dynamodb").meta.service_model.operation_model(operation)
    assert "timestamp" not in set(_kinds(model.output_shape, set()))
    assert not model.has_streaming_output


def _kinds(shape: Any, seen: set[str]) -> Iterator[str]:
    if shape.name in seen:
        return
    seen.add(shape.name)
    yield shape.type_name
    parts = {"structure": lambda: shape.members.values(), "list": lambda: [shape.member], "map": lambda: [shape.value]}
    for part in parts.get(shape.type_name, list)():
        yield from _kinds(part, seen)


class Text(msgspec.Struct):
    S: str = ""


class Row(msgspec.Struct):
    Item: Text


class Page(msgspec.Struct):
    Items: list[Row]
    LastEvaluatedKey: dict[str, Any] | None = None


def test_a_page_is_read_into_the_type_it_was_asked_for_as(session: boto3.Session) -> None:
    client: Any = session.client("dynamodb")
    read_as(client, "Query", Page)
    make_table(client, "ledger", "Order", "Item")
    stored(client, 3)
    page: Any = client.query(**OF_ORDER, Limit=2)
    assert [row.Item.S for row in page["Items"]] == ["REWARD#000", "REWARD#001"]
    assert page["LastEvaluatedKey"] == key(a_row(1))
    last: Any = client.query(**OF_ORDER, ExclusiveStartKey=page["LastEvaluatedKey"])
    assert last["LastEvaluatedKey"] is None


def test_a_batch_of_messages_reaches_its_queue(session: boto3.Session) -> None:
    plain, quick = session.client("sqs"), quick_batches(session.client("sqs"))
    url = plain.create_queue(QueueName="work")["QueueUrl"]
    entries: Any = [{"Id": str(number), "MessageBody": f'{{"ü": {number}}}', "DelaySeconds": 0} for number in range(3)]
    answer = quick.send_message_batch(QueueUrl=url, Entries=entries)
    assert [each["Id"] for each in answer["Successful"]] == ["0", "1", "2"]
    assert not answer.get("Failed")
    received = plain.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    assert sorted(message["Body"] for message in received) == [entry["MessageBody"] for entry in entries]


def test_a_queue_that_is_not_there_is_told_alike(session: boto3.Session) -> None:
    told = []
    for client in (session.client("sqs"), quick_batches(session.client("sqs"))):
        with pytest.raises(client.exceptions.QueueDoesNotExist) as caught:
            client.send_message_batch(
                QueueUrl="http://localhost:4566/000000000000/no", Entries=[{"Id": "0", "MessageBody": "{}"}]
            )
        told.append(_without_metadata(caught.value.response))
    assert told[0] == told[1]
