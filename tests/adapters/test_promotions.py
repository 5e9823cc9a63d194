"""Promotions in DynamoDB read back as they were checked, and those of a later release are left alone."""

from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws
from msgspec.structs import replace

from adapters.promotions import DynamoPromotions
from rewards.errors import TooNew
from tests.builders import a_promotion
from tests.fakes.tables import make_table


@pytest.fixture
def promotions() -> Iterator[DynamoPromotions]:
    with mock_aws():
        client = boto3.client("dynamodb")
        make_table(client, "promotions", "Shop", "Item")
        yield DynamoPromotions(client, "promotions")


def test_a_shop_finds_its_own_promotions_as_they_were_stored(promotions: DynamoPromotions) -> None:
    promotions.put(a_promotion(skus=("SKU-1",)))
    promotions.put(a_promotion(shop_id="2"))
    assert promotions.of_shop("1") == [a_promotion(skus=("SKU-1",))]


def test_a_promotion_stored_anew_takes_the_place_of_the_old_one(promotions: DynamoPromotions) -> None:
    promotions.put(a_promotion())
    promotions.put(a_promotion(days=30))
    assert promotions.of_shop("1") == [a_promotion(days=30)]


def test_a_promotion_of_a_later_version_is_not_half_understood(promotions: DynamoPromotions) -> None:
    promotions.put(replace(a_promotion(), v=2))
    with pytest.raises(TooNew):
        promotions.of_shop("1")
