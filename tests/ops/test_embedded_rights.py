"""Which rights the embedded cloud asks for, where the emulator by itself would ask for others than AWS."""

import json
from typing import Any

import pytest

from ops.embedded.changes import right_it_takes, rights_it_takes

HEADERS = {"x-amz-target": "AmazonSQS.SendMessageBatch"}


def asked(call: str, **body: Any) -> list[tuple[str, str]]:
    rights = rights_it_takes(f"dynamodb:{call}", json.dumps(body).encode(), "ap-northeast-1", "000000000000")
    return [(action, on.removeprefix("arn:aws:dynamodb:ap-northeast-1:000000000000:table/")) for action, on in rights]


def test_a_batch_of_messages_takes_the_right_to_each() -> None:
    assert right_it_takes("sqs", "POST", "/", HEADERS, b"{}", {}) == "sqs:SendMessage"


@pytest.mark.parametrize(
    ("statement", "right"),
    [
        ('UPDATE "ledger" SET "a"=? WHERE "b"=? RETURNING ALL NEW *', ("dynamodb:PartiQLUpdate", "ledger")),
        ('SELECT "a", "b" FROM "ledger" WHERE "b"=?', ("dynamodb:PartiQLSelect", "ledger")),
        ("insert into ledger value {'a': 1}", ("dynamodb:PartiQLInsert", "ledger")),
        ('DELETE FROM "ledger" WHERE "b"=?', ("dynamodb:PartiQLDelete", "ledger")),
    ],
)
def test_a_statement_takes_its_own_right_on_its_table(statement: str, right: tuple[str, str]) -> None:
    assert asked("ExecuteStatement", Statement=statement) == [right]
    assert asked("BatchExecuteStatement", Statements=[{"Statement": statement}] * 2) == [right, right]
    assert asked("ExecuteTransaction", TransactStatements=[{"Statement": statement}]) == [right]


def test_a_batch_with_a_statement_that_is_not_understood_takes_a_right_nobody_has() -> None:
    understood = {"Statement": 'DELETE FROM "ledger" WHERE "b"=?'}
    assert asked("BatchExecuteStatement", Statements=[understood, {"Statement": "?"}]) == []


def test_a_transaction_takes_the_rights_of_its_writes() -> None:
    writes = [{"Put": {"TableName": "wallet"}}, {"Update": {"TableName": "ledger"}}]
    assert asked("TransactWriteItems", TransactItems=writes) == [
        ("dynamodb:PutItem", "wallet"),
        ("dynamodb:UpdateItem", "ledger"),
    ]
