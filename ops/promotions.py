"""`rewards promotions`: what shops reward, and how."""

from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from rich.markup import escape

from adapters.promotions import DynamoPromotions
from ops.stack import Stack, connect
from ops.terminal import Aws, Json, out, print_json
from ops.trouble import Trouble
from rewards.errors import RewardsError
from rewards.promotion import ByDateTime, Days, LoyaltyPoints, Promotion, Tier
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
        out.print(f"{len(checked)} promotions stored.")


@promotions.command(name="list")
def list_(
    shop: Annotated[str, typer.Argument(help="The shop's id.")], *, aws: Aws = False, as_json: Json = False
) -> None:
    """List the promotions of SHOP."""
    stack = connect(aws=aws)
    stored = _stored(stack).of_shop(shop)
    if as_json:
        print_json(stored)
        return
    out.print(f"Shop {shop} has {len(stored)} promotions.")
    for promotion in stored:
        out.print(f"\n[bold]{escape(promotion.promotion_id)}[/]  {escape(promotion.name)}")
        out.print(f"  {gives(promotion)}; {when(promotion, stack.zone)}")
        out.print(
            f"  for orders from {_local(promotion.starts_at, stack.zone)} to {_local(promotion.ends_at, stack.zone)}"
        )


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
    worth = ", ".join(f"from {tier.start:,} {_worth(tier)}" for tier in reward.tiers) or _worth(reward)
    return worth if reward.max_points is None else f"{worth}, at most {reward.max_points:,}"


def when(promotion: Promotion, zone: ZoneInfo) -> str:
    match promotion.timing:
        case ByDateTime(at=at):
            return f"on {_local(at, zone)}"
        case Days(days=0, basis=basis):
            return f"as soon as {basis}"
        case Days(days=days, basis=basis):
            return f"{days} days after {basis}"


def _worth(step: LoyaltyPoints | Tier) -> str:
    if step.points is not None:
        return f"{step.points:,} points"
    return f"{((step.rate or Decimal(0)) * 100).normalize():f} %"


def _local(at: datetime, zone: ZoneInfo) -> str:
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M}"


def _stored(stack: Stack) -> DynamoPromotions:
    return DynamoPromotions(stack.dynamodb, stack["PromotionsTableName"])
