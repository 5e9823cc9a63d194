"""The bodies of requests and answers, written and read by msgspec where botocore would walk them field by field.

botocore checks and converts every value against its model of the service, which is most of what a call costs. What our
tables hold needs neither: in JSON a string is a string, and nothing of ours is a blob or a time. Both hooks are
botocore's own events, and all else stays botocore's: endpoints, signatures, tries, checksums, errors, metadata.
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

if TYPE_CHECKING:
    from botocore.client import BaseClient
    from botocore.model import OperationModel
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient

LEAST: Mapping[str, Mapping[str, Any]] = {
    "BatchExecuteStatement": {"Statements": [{"Statement": "-"}]},
    "BatchGetItem": {"RequestItems": {"-": {"Keys": [{}]}}},
    "BatchWriteItem": {"RequestItems": {"-": [{}]}},
    "DeleteItem": {"TableName": "-", "Key": {}},
    "GetItem": {"TableName": "-", "Key": {}},
    "PutItem": {"TableName": "-", "Item": {}},
    "Query": {"TableName": "-"},
    "Scan": {"TableName": "-"},
    "TransactGetItems": {"TransactItems": [{"Get": {"TableName": "-", "Key": {}}}]},
    "TransactWriteItems": {"TransactItems": [{}]},
    "UpdateItem": {"TableName": "-", "Key": {}},
}
"""DynamoDB's operations on items, and the least that botocore takes for the arguments of one."""

_BODY = "rewards-body"


def quick_items(client: "DynamoDBClient") -> "DynamoDBClient":
    """The same client, whose operations on items cost a fraction; arguments and answers stay what they were.

    Arguments are checked by DynamoDB alone, and a table is called by its name, not by its ARN.
    """
    for operation, least in LEAST.items():
        read_as(client, operation, dict[str, Any])
        _write(client, operation, least)
    return client


def quick_batches(client: "SQSClient") -> "SQSClient":
    """The same client, whose `send_message_batch` costs a fraction. Messages with attributes may not hold bytes."""
    read_as(client, "SendMessageBatch", dict[str, Any])
    _write(client, "SendMessageBatch", {"QueueUrl": "-", "Entries": []})
    return client


def read_as(client: "BaseClient", operation: str, type: type) -> None:
    """From now on the operation's answers are read as `type`: a mapping, or a struct of which the fields are taken.

    Once for an operation: the client of `quick_items` reads its own already.
    """
    read = partial(_read, msgspec.json.Decoder(type))
    client.meta.events.register(f"before-parse.{_service(client)}.{operation}", read)


def _read(
    decoder: "msgspec.json.Decoder[Any]",
    response_dict: dict[str, Any],
    customized_response_dict: dict[str, Any],
    **_: Any,
) -> None:
    """What is customized is what the caller gets; botocore is left an empty body, and adds its metadata.

    A body that is damaged is left to botocore, which compares checksums and asks again.
    """
    if response_dict["status_code"] >= 300:
        return
    try:
        answer = decoder.decode(response_dict["body"])
    except msgspec.DecodeError:
        return
    customized_response_dict.update(answer if isinstance(answer, dict) else msgspec.structs.asdict(answer))
    response_dict["body"] = b""


def _write(client: "BaseClient", operation: str, least: Mapping[str, Any]) -> None:
    name = f"{_service(client)}.{operation}"
    client.meta.events.register(f"before-parameter-build.{name}", partial(_take, least))
    client.meta.events.register(f"before-call.{name}", _put)


def _take(
    least: Mapping[str, Any], params: dict[str, Any], model: "OperationModel", context: dict[str, Any], **_: Any
) -> None:
    """The body is made here, once for all tries of the call: the token in it lets DynamoDB know them for one."""
    for token in model.idempotent_members:
        params.setdefault(token, str(uuid4()))
    context[_BODY] = msgspec.json.encode(params)
    params.clear()
    params.update(least)


def _put(params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
    params["body"] = context.pop(_BODY)


def _service(client: "BaseClient") -> str:
    return client.meta.service_model.service_id.hyphenize()
