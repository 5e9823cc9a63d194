"""What the place of the breakers promises, in memory and in DynamoDB: what was read, or nothing, is written over."""

from datetime import UTC, datetime, timedelta

import boto3
import pytest
from moto import mock_aws

from adapters.breakers import DynamoBreakers
from rewards.breaker import FAILURES_IN_A_ROW, Breaker, Breakers
from rewards.provider import NotNow
from tests.fakes.breakers import MemoryBreakers
from tests.fakes.tables import make_table

NOW = datetime(2026, 12, 1, 16, 0, 0, 123456, tzinfo=UTC)
OPEN = Breaker().failed(NotNow("429 Too Many Requests", timedelta(hours=1)), NOW, is_first=True)


@pytest.fixture(params=["memory", "dynamo"])
def breakers(request: pytest.FixtureRequest) -> Breakers:
    if request.param == "memory":
        return MemoryBreakers()
    request.getfixturevalue("aws")
    client = boto3.client("dynamodb")
    make_table(client, "control", "Item")
    return DynamoBreakers(client, "control")


@pytest.fixture
def aws() -> object:
    with mock_aws():
        yield


def test_a_breaker_nobody_ever_wrote_is_closed(breakers: Breakers) -> None:
    assert breakers.breaker("points") == Breaker()


def test_what_was_written_is_read_by_its_provider_alone(breakers: Breakers) -> None:
    assert breakers.write_breaker("points", Breaker(), OPEN)
    assert breakers.breaker("points") == OPEN
    assert breakers.breaker("coupons") == Breaker()


def test_of_two_who_read_the_same_one_writes(breakers: Breakers) -> None:
    counted = Breaker(failures=FAILURES_IN_A_ROW - 1, version=1)
    assert breakers.write_breaker("points", Breaker(), OPEN)
    assert not breakers.write_breaker("points", Breaker(), counted)
    assert breakers.breaker("points") == OPEN
    probed = OPEN.probed(NOW + timedelta(hours=1))
    assert breakers.write_breaker("points", OPEN, probed)
    assert not breakers.write_breaker("points", OPEN, OPEN.answered())
    assert breakers.breaker("points") == probed


def test_once_closed_it_is_as_if_nothing_had_been(breakers: Breakers) -> None:
    breakers.write_breaker("points", Breaker(), OPEN)
    assert breakers.write_breaker("points", OPEN, OPEN.answered())
    assert breakers.breaker("points") == Breaker(version=2)
