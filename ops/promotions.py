"""`rewards promotions`: what shops reward, and how."""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from msgspec import to_builtins

from adapters.promotions import DynamoPromotions
from adapters.quota import DynamoQuota
from ops.stack import Stack, connect
from ops.terminal import Aws, Json, counted, named, out, plain, print_json
from ops.trouble import Trouble
from rewards.entitlement import Step
from rewards.errors import RewardsError
from rewards.promotion import ByDateTime, Days, ECoupon, LoyaltyPoints, Promotion, Quota, Tier
from rewards.promotions import parse_promotions

promotions = typer.Typer(help="Put and list the promotions of shops.", no_args_is_help=True)


@promotions.command()
def put(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="One promotion, or an array of them.")],
    *,
    aws: Aws = False,
    as_json: Json = False,
) -> None:
    """Store the promotions in FILE, all of them or, if one is wrong, none.

    One that is there already is replaced: for orders paid from now on. Rewards keep the rule they were booked under.
    """
    checked = read(file)
    store(checked, connect(aws=aws))
    if as_json:
        print_json({"stored": [[promotion.shop_id, promotion.promotion_id] for promotion in checked]})
    else:
        out.print(f"{counted(len(checked), 'promotion')} stored.")


@promotions.command(name="list")
def list_(
    shop: Annotated[str, typer.Argument(help="The shop's id.")], *, aws: Aws = False, as_json: Json = False
) -> None:
    """List the promotions of SHOP, and how many places of their quotas are taken."""
    shop = named(shop, "SHOP")
    stack = connect(aws=aws)
    stored = _stored(stack).of_shop(shop)
    quota = DynamoQuota(stack.dynamodb, stack["QuotaTableName"])
    if as_json:
        print_json([to_builtins(promotion) | _taken_and_left(promotion, quota) for promotion in stored])
        return
    out.print(f"Shop {plain(shop)} has {counted(len(stored), 'promotion')}.")
    for promotion in stored:
        for line in lines(promotion, stack.zone):
            out.print(line)
        if promotion.quota:
            out.print(f"  {limits(promotion.quota, **_taken_and_left(promotion, quota))}")


def lines(promotion: Promotion, zone: ZoneInfo) -> Iterator[str]:
    """A promotion as it is printed, but for its quota."""
    yield f"\n[bold]{plain(promotion.promotion_id)}[/]  {plain(promotion.name)}"
    yield f"  {plain(gives(promotion))}; {when(promotion, zone)}"
    yield f"  for orders from {_local(promotion.starts_at, zone)} to {_local(promotion.ends_at, zone)}"


def read(file: Path) -> list[Promotion]:
    try:
        return parse_promotions(file.read_bytes())
    except RewardsError as error:
        raise Trouble(f"{file}: {error}. Nothing was stored.") from None


def store(checked: list[Promotion], stack: Stack) -> None:
    stored = _stored(stack)
    for promotion in checked:
        stored.put(promotion)


def gives(promotion: Promotion) -> str:
    """What a promotion gives, in a few words."""
    reward = promotion.reward
    worth = ", ".join(gives_of(tier) for tier in reward.tiers) or gives_of(reward)
    if isinstance(reward, ECoupon):
        return f"{reward.template}: {worth}"
    return worth if reward.max_points is None else f"{worth}, at most {reward.max_points:,}"


def gives_of(step: Step) -> str:
    """What a tier, or a reward without tiers, gives."""
    match step:
        case Tier(start=start):
            return f"{_worth(step.quantity, step.points, step.rate)} from {start:,} on"
        case LoyaltyPoints():
            return _worth(None, step.points, step.rate)
        case ECoupon():
            return _worth(step.quantity, None, None)


def when(promotion: Promotion, zone: ZoneInfo) -> str:
    match promotion.timing:
        case ByDateTime(at=at):
            return f"on {_local(at, zone)}"
        case Days(days=days, basis=basis, before_shipping=before_shipping):
            after = f"{counted(days, 'day')} after it was {basis}" if days else f"as soon as it is {basis}"
            return f"{after}, until then as if from the order" if before_shipping == "ordered" else after


def limits(quota: Quota, taken: int = 0, left: int = 0) -> str:
    """How many orders get the reward, and how many have it or hold a place for it."""
    parts = []
    if quota.total is not None:
        parts.append(f"{taken:,} of {counted(quota.total, 'place')} taken, {left:,} left")
    if quota.per_member is not None:
        parts.append(f"{quota.per_member:,} for each member")
    if quota.occupy:
        parts.append(f"held from the order on, for {counted(quota.unpaid_minutes, 'minute')} if it is not paid")
    return "; ".join(parts)


def _taken_and_left(promotion: Promotion, quota: DynamoQuota) -> dict[str, int]:
    """Nothing where no total is counted."""
    if promotion.quota is None or promotion.quota.total is None:
        return {}
    taken = sum(quota.used(promotion).shards)
    return {"taken": taken, "left": max(0, promotion.quota.total - taken)}


def _worth(coupons: int | None, points: int | None, rate: Decimal | None) -> str:
    if coupons is not None:
        return counted(coupons, "coupon")
    return counted(points, "point") if points is not None else f"{((rate or Decimal(0)) * 100).normalize():f} %"


def _local(at: datetime, zone: ZoneInfo) -> str:
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M}"


def _stored(stack: Stack) -> DynamoPromotions:
    return DynamoPromotions(stack.dynamodb, stack["PromotionsTableName"])
