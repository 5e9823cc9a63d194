"""The steps with somebody else's HTTP service as the provider: real handlers, real HTTP, a real secret."""

from collections.abc import Iterator
from datetime import timedelta

import boto3
import pytest

from rewards.provider import Member
from rewards.reward import Reward
from rewards.status import Status
from steps.book import handler as book
from steps.grant_coupon import handler as grant_coupon
from steps.grant_points import handler as grant_points
from steps.recycle_coupon import handler as recycle_coupon
from steps.recycle_points import handler as recycle_points
from steps.withdraw import handler as withdraw
from tests.builders import ORDERED_AT, a_promotion
from tests.fakes.provider_server import DROPPED, ProviderServer, provider_server
from tests.steps.conftest import Cloud
from tests.steps.coupons import ORDER, book_coupons
from tests.steps.coupons import TASK as COUPON_TASK
from tests.steps.orders import ALL_RETURNED, PAID
from tests.steps.test_grant_points import TASK as POINTS_TASK

MEMBER = Member("1", "0012345")
A_WEEK_LATER = ORDERED_AT + timedelta(days=8)


@pytest.fixture
def service(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    with provider_server() as server:
        boto3.client("secretsmanager").create_secret(Name="rewards/provider", SecretString=server.token)
        monkeypatch.setenv("PROVIDER", "http")
        monkeypatch.setenv("PROVIDER_URL", server.url)
        monkeypatch.setenv("PROVIDER_SECRET", "rewards/provider")
        yield server


def row(cloud: Cloud) -> Reward:
    (only,) = cloud.ledger.rewards(ORDER)
    return only


def test_points_are_granted_and_taken_back_by_the_service(cloud: Cloud, service: ProviderServer) -> None:
    cloud.promotions.put(a_promotion())
    book(cloud.deliver(PAID), cloud.context())
    cloud.travel(A_WEEK_LATER)

    grant_points(cloud.deliver(POINTS_TASK, POINTS_TASK), cloud.context())
    assert row(cloud).status is Status.REWARD
    assert service.points.balance(MEMBER) == 79

    withdraw(cloud.deliver(ALL_RETURNED), cloud.context())
    recycle_points(cloud.deliver(POINTS_TASK), cloud.context())
    assert row(cloud).recycle_points == 79
    assert service.points.balance(MEMBER) == 0
    assert cloud.wallet.accounts() == []


def test_coupons_are_issued_and_revoked_by_the_service(cloud: Cloud, service: ProviderServer) -> None:
    service.coupons.add_stock("1", "TEA", 2)
    book_coupons(cloud)

    grant_coupon(cloud.deliver(COUPON_TASK), cloud.context())
    assert len(row(cloud).codes) == 2

    withdraw(cloud.deliver(ALL_RETURNED), cloud.context())
    recycle_coupon(cloud.deliver(COUPON_TASK), cloud.context())
    assert row(cloud).revoked_codes == row(cloud).codes
    assert list(cloud.coupons.coupons()) == []


def test_a_grant_whose_reply_is_lost_is_asked_for_by_key_and_settled(cloud: Cloud, service: ProviderServer) -> None:
    service.faults.append(DROPPED)
    cloud.promotions.put(a_promotion())
    book(cloud.deliver(PAID), cloud.context())
    cloud.travel(A_WEEK_LATER)

    grant_points(cloud.deliver(POINTS_TASK), cloud.context())
    assert service.methods() == ["POST", "GET"]
    assert (row(cloud).status, service.points.balance(MEMBER)) == (Status.REWARD, 79)


def test_a_token_that_was_changed_is_read_anew(cloud: Cloud, service: ProviderServer) -> None:
    cloud.promotions.put(a_promotion())
    book(cloud.deliver(PAID), cloud.context())
    cloud.travel(A_WEEK_LATER)
    grant_points(cloud.deliver(POINTS_TASK), cloud.context())

    service.token = "another"
    boto3.client("secretsmanager").put_secret_value(SecretId="rewards/provider", SecretString=service.token)
    withdraw(cloud.deliver(ALL_RETURNED), cloud.context())
    recycle_points(cloud.deliver(POINTS_TASK), cloud.context())
    assert (row(cloud).recycle_points, service.points.balance(MEMBER)) == (79, 0)
