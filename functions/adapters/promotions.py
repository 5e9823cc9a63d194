"""The promotions that shops have stored, one item each, kept as the JSON that was checked on entry."""

from typing import TYPE_CHECKING

import msgspec

from rewards.errors import TooNew
from rewards.identifiers import escape, join
from rewards.promotion import Promotion
from rewards.promotions import KNOWN_VERSION

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoPromotions:
    """The port `rewards.deciding.Promotions` over one table."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def put(self, promotion: Promotion) -> None:
        """Store it, or store it anew; rewards that were booked under it keep their copy of the rule."""
        self._client.put_item(
            TableName=self._table,
            Item={
                "Shop": {"S": escape(promotion.shop_id)},
                "Item": {"S": join("PROMOTION", promotion.promotion_id)},
                "Promotion": {"S": msgspec.json.encode(promotion).decode()},
            },
        )

    def of_shop(self, shop_id: str) -> list[Promotion]:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="#Shop = :shop AND begins_with(#Item, :promotion)",
            ExpressionAttributeNames={"#Shop": "Shop", "#Item": "Item"},
            ExpressionAttributeValues={":shop": {"S": escape(shop_id)}, ":promotion": {"S": "PROMOTION#"}},
            ConsistentRead=True,
        )
        return [_promotion(item["Promotion"]["S"]) for page in pages for item in page["Items"]]


def _promotion(text: str) -> Promotion:
    promotion = msgspec.json.decode(text, type=Promotion)
    if promotion.v > KNOWN_VERSION:
        raise TooNew(promotion.v, KNOWN_VERSION)
    return promotion
