"""Recycle coupons: the real handler with the built-in pool."""

import pytest

from steps.grant_coupon import handler as grant
from steps.recycle_coupon import handler
from steps.withdraw import handler as withdraw
from tests.steps.conftest import Cloud
from tests.steps.coupons import TASK, book_coupons, the_row
from tests.steps.orders import ALL_RETURNED


@pytest.fixture
def granted(cloud: Cloud) -> Cloud:
    """The member holds two coupons."""
    cloud.coupons.add_stock("1", "TEA", 2)
    book_coupons(cloud)
    grant(cloud.deliver(TASK), cloud.context())
    assert len(the_row(cloud).codes) == 2
    return cloud


def states(cloud: Cloud) -> list[str]:
    return sorted(coupon.state for coupon in cloud.coupons.coupons())


def test_what_came_back_is_revoked_once_however_often_its_message_comes(granted: Cloud) -> None:
    withdraw(granted.deliver(ALL_RETURNED), granted.context())
    assert granted.sent("RECYCLE_POINTS_QUEUE") == []
    assert len(granted.sent("RECYCLE_COUPON_QUEUE")) == 1
    for _ in range(2):
        assert handler(granted.deliver(TASK, TASK), granted.context()) == {"batchItemFailures": []}
    row = the_row(granted)
    assert (row.recycle_points, row.shortfall, row.is_recycle, row.due) == (2, 0, True, None)
    assert states(granted) == ["revoked", "revoked"]


def test_a_coupon_that_was_used_is_final_and_stops_no_other(granted: Cloud) -> None:
    granted.coupons.use("1", the_row(granted).codes[0])
    withdraw(granted.deliver(ALL_RETURNED), granted.context())
    assert handler(granted.deliver("no json", TASK), granted.context()) == {"batchItemFailures": []}
    row = the_row(granted)
    assert (row.recycle_points, row.shortfall, row.used_codes, row.due) == (1, 1, row.codes[:1], None)
    assert states(granted) == ["revoked", "used"]
    assert [letter["kind"] for letter in granted.sent("LETTERS_QUEUE")] == ["invalid"]
