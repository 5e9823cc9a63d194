"""`rewards promotions`: what shops reward, and how."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

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
    stored = _stored(connect(aws=aws)).of_shop(shop)
    if as_json:
        print_json(stored)
        return
    table = Table("promotion", "name", "gives", "when", "for orders", box=None, header_style="bold")
    for promotion in stored:
        table.add_row(promotion.promotion_id, promotion.name, gives(promotion), when(promotion), _valid(promotion))
    out.print(table if stored else f"Shop {shop} has no promotions.")


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
    worth = ", ".join(f"{tier.start:,}: {_worth(tier)}" for tier in reward.tiers) or _worth(reward)
    return worth if reward.max_points is None else f"{worth}, at most {reward.max_points:,}"


def when(promotion: Promotion) -> str:
    match promotion.timing:
        case ByDateTime(at=at):
            return f"at {at:%Y-%m-%d %H:%M} UTC"
        case Days(days=0, basis=basis):
            return f"as soon as {basis}"
        case Days(days=days, basis=basis):
            return f"{days} days after {basis}"


def _worth(step: LoyaltyPoints | Tier) -> str:
    if step.points is not None:
        return f"{step.points:,} points"
    return f"{((step.rate or Decimal(0)) * 100).normalize():f} %"


def _valid(promotion: Promotion) -> str:
    return f"{promotion.starts_at:%Y-%m-%d} to {promotion.ends_at:%Y-%m-%d}"


def _stored(stack: Stack) -> DynamoPromotions:
    return DynamoPromotions(stack.dynamodb, stack["PromotionsTableName"])
