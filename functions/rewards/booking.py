"""Booking: a paid order's promotions are decided, once, and what it earned is written with its booking time."""

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from msgspec.structs import replace

from rewards.entitlement import entitled
from rewards.errors import Invalid
from rewards.events import PaymentCompleted
from rewards.ledger import DECISIONS_MAX, Contended, Ledger
from rewards.matching import eligible_lines, mismatch
from rewards.order import Order
from rewards.outcomes import AlreadyPaid, Booked, HeldForPerson, NothingMatched, NothingToEarn, OfOrder, OfReward
from rewards.promotion import Promotion
from rewards.reward import Held, Reward, RewardId
from rewards.routing import RewardQueue
from rewards.status import Status
from rewards.timetable import Timetable

MATCHES_MAX = 30  # contract §2; with the order and its quota they still fit one transaction
MATCHED = "matched"


class Promotions(Protocol):
    """The promotions that shops have stored."""

    def of_shop(self, shop_id: str) -> list[Promotion]: ...


def book(
    event: PaymentCompleted,
    ledger: Ledger,
    promotions: Promotions,
    at_once: RewardQueue,
    *,
    timetable: Timetable,
    now: datetime,
) -> list[OfOrder | OfReward]:
    """Decide every promotion of the order that was paid, in one transaction, and send what is due already.

    A repeat decides nothing; it only sends again, in case the first delivery died before it could.
    """
    for _ in range(DECISIONS_MAX):
        known = ledger.order(event.order.id)
        _check_currency(event.order, known)
        if known and known.is_paid:
            outcomes = _paid_again(event, known, ledger, now)
            _send_due(ledger.rewards(known.id), at_once, now)
            return outcomes
        order, rewards = decide(event, known, promotions.of_shop(event.order.id.shop_id), timetable=timetable, now=now)
        if ledger.decide(known, order, [(None, reward) for reward in rewards]):
            _send_due(rewards, at_once, now)
            return [_outcome(reward) for reward in rewards] or [NothingMatched(order.id)]
    raise Contended(event.order.id)


def decide(
    event: PaymentCompleted,
    known: Order | None,
    promotions: Iterable[Promotion],
    *,
    timetable: Timetable,
    now: datetime,
) -> tuple[Order, list[Reward]]:
    """The order as paid, with why each promotion did or did not match, and a reward for each that did.

    Matching looks at the order as placed, the sum at the lines kept: a return may have come before the payment. An
    order that earned nothing from the start does not match: a row is written only where something was owed.
    """
    order = replace(
        event.order,
        paid_at=event.occurred_at,
        paid_by=event.event_id,
        shipped_at=known.shipped_at if known else None,
        returns=known.returns if known else {},
        version=known.version + 1 if known else 1,
    )
    decisions: dict[str, str] = {}
    rewards: list[Reward] = []
    for promotion in sorted(promotions, key=lambda promotion: promotion.promotion_id):
        reason = mismatch(promotion, order) or _worthless(promotion, event.order)
        if reason is None and len(rewards) == MATCHES_MAX:
            reason = f"{MATCHES_MAX} promotions match already"
        if reason is None:
            rewards.append(_reward(promotion, order, timetable=timetable, now=now))
        decisions[promotion.promotion_id] = reason or MATCHED
    return replace(order, decisions=decisions), rewards


def _worthless(promotion: Promotion, placed: Order) -> str | None:
    earned = entitled(promotion.rule, placed, eligible_lines(promotion, placed))
    return None if earned.points else f"the lines that count come to {earned.base_amount}, which earns nothing"


def _reward(promotion: Promotion, order: Order, *, timetable: Timetable, now: datetime) -> Reward:
    id = RewardId(*order.id, promotion.promotion_id)
    lines = eligible_lines(promotion, order)
    earned = entitled(promotion.rule, order, lines)
    assert order.member_id  # noqa: S101 - nothing matches without these three
    assert order.source  # noqa: S101
    assert order.ordered_at  # noqa: S101
    reward = Reward(
        id=id,
        member_id=order.member_id,
        status=Status.WAIT if earned.points else Status.CANCEL,
        reward_type=promotion.rule.reward_type,
        source=order.source,
        ordered_at=order.ordered_at,
        booking_time=timetable.booking_time(promotion.timing, order, promotion.promotion_id),
        rule=promotion.rule,
        lines=lines,
        base_amount=earned.base_amount,
        points=earned.points,
        update_reason="paid" if earned.points else "paid, nothing left to earn",
        changed_by="book",
        changed_at=now,
        version=1,
        changed_version=1,
    )
    is_due = reward.status is Status.WAIT and reward.booking_time is not None  # else it waits for the parcel to leave
    return replace(reward, due=timetable.due("reward", reward, now=now)) if is_due else reward


def _paid_again(event: PaymentCompleted, order: Order, ledger: Ledger, now: datetime) -> list[OfOrder | OfReward]:
    """Another payment, under another event id, of an order whose reward was taken back: for a person to judge."""
    if event.event_id == order.paid_by:
        return [AlreadyPaid(order.id)]
    held: list[OfOrder | OfReward] = []
    for reward in ledger.rewards(order.id):
        if reward.is_recycle and not reward.held:
            reason = f"paid again by event {event.event_id} after it was taken back"
            after = reward.change(reason, by="book", at=now, held=Held("paid again", reason))
            if not ledger.write_reward(reward, after):
                raise Contended(reward.id)
            held.append(HeldForPerson(reward.id))
    return held or [AlreadyPaid(order.id)]


def _send_due(rewards: Iterable[Reward], at_once: RewardQueue, now: datetime) -> None:
    if due := [reward for reward in rewards if reward.is_due(now)]:
        at_once.send(due)


def _check_currency(order: Order, known: Order | None) -> None:
    told = {known.currency, *(back.currency for back in known.returns.values())} - {None} if known else set()
    if told - {order.currency}:
        raise Invalid(
            "order.currency", f"{order.currency!r}, but the order is known in {', '.join(sorted(map(str, told)))}"
        )


def _outcome(reward: Reward) -> OfReward:
    return Booked(reward.id) if reward.status is Status.WAIT else NothingToEarn(reward.id)
