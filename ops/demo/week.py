"""The day and the week after it: what is sent when, and the runs of the schedules in between."""

from datetime import datetime, timedelta

from ops import clock
from ops.coupons import pool_of
from ops.demo.day import Event, sample_day
from ops.demo.orders import MIDNIGHT, SHOP, sample_orders
from ops.dispatch import run
from ops.orders import look_up
from ops.promotions import store
from ops.send import put
from ops.stack import Stack
from ops.stillness import wait_until_still
from ops.terminal import counted, step
from rewards.order import OrderId
from rewards.promotion import ECoupon, Promotion

TOO_FEW, ENOUGH = 24, 50
"""Coupons in stock at first, and put there once the day's orders have asked in vain."""


def live_through(promotions: list[Promotion], stack: Stack) -> None:
    day = sample_day()
    store(promotions, stack)
    _restock(TOO_FEW, promotions, stack)
    clock.move_to(stack, _at(minutes=10))
    _send(day.first_in_the_rush, "tea sets ordered at midnight, not all of them paid", stack)
    _send(day.in_the_rush, "more orders of tea sets than there are places left", stack)
    _dispatch(_at(hours=1), stack)
    _send(day.after_the_rush, "orders for the places that were let go unpaid", stack)
    clock.move_to(stack, _at(days=1))
    _send(day.on_the_day, "orders, payments and early returns of the day", stack)
    _dispatch(_at(days=1, hours=11), stack)
    _restock(ENOUGH, promotions, stack)
    _dispatch(_at(days=1, hours=23), stack)
    _send(day.while_waiting, "cancelled, returned or shipped while rewards wait", stack)
    for days, hours in ((3, 3), (4, 11), (7, 1), (7, 2), (7, 3)):
        _dispatch(_at(days=days, hours=hours), stack)
    clock.move_to(stack, _at(days=9))
    _use_coupons(stack)
    _send(day.after_the_grant, "returns after the grant", stack)
    _dispatch(_at(days=9, hours=10, minutes=30), stack)


def _at(*, days: int = 0, hours: int = 0, minutes: int = 1) -> datetime:
    """So long after the day's midnight; by default at minute 1, when the schedules run."""
    return MIDNIGHT + timedelta(days=days, hours=hours, minutes=minutes)


def _send(events: list[Event], what: str, stack: Stack) -> None:
    with step(f"Sending {counted(len(events), 'event')}: {what}", f"{counted(len(events), 'event')}: {what}"):
        put(events, stack.events, stack["OrdersBusName"])
        wait_until_still(stack)


def _dispatch(at: datetime, stack: Stack) -> None:
    with step(f"It is {at:%d %B, %H:%M}: dispatching", f"{at:%d %B, %H:%M}: dispatched what was due"):
        run(stack, at)


def _restock(count: int, promotions: list[Promotion], stack: Stack) -> None:
    """Put so many coupons of each template into the stock."""
    pool = pool_of(stack)
    for promotion in promotions:
        if isinstance(promotion.reward, ECoupon):
            pool.add_stock(promotion.shop_id, promotion.reward.template, count)


def _use_coupons(stack: Stack) -> None:
    """Members use the first of their coupons, before they send back what they had it for."""
    pool = pool_of(stack)
    for order in sample_orders():
        if order.story == "coupon used, back":
            for reward in look_up(OrderId(SHOP, order.order_group), stack).rewards:
                for code in reward.codes[:1]:
                    pool.use(SHOP, code)
