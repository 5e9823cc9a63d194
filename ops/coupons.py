"""`rewards coupons`: the stock that the built-in provider issues coupons from."""

from typing import Annotated

import typer

from adapters.coupon_pool import DynamoCouponPool
from ops.stack import Stack, connect
from ops.terminal import Aws, Json, named, out, plain, print_json

coupons = typer.Typer(help="Fill and list the stock of coupons.", no_args_is_help=True)

COUNT_MOST = 10_000_000
LONGEST_TEMPLATE = 300  # as in promotions


@coupons.command()
def add(
    shop: Annotated[str, typer.Argument(help="The shop's id.")],
    template: Annotated[str, typer.Argument(help="The template, as promotions name it.")],
    count: Annotated[int, typer.Option(min=1, max=COUNT_MOST, help="How many more can be issued.")],
    *,
    aws: Aws = False,
    as_json: Json = False,
) -> None:
    """Add COUNT coupons of TEMPLATE to the stock of SHOP; each gets its code when it is issued.

    Rewards that found none are asked for again at the next restocking hour.
    """
    shop, template = named(shop, "SHOP"), named(template, "TEMPLATE", LONGEST_TEMPLATE)
    pool = pool_of(connect(aws=aws))
    pool.add_stock(shop, template, count)
    stock = pool.stock(shop, template)
    if as_json:
        print_json({"shop_id": shop, "template": template, **stock._asdict()})
    else:
        out.print(f"{stock.left:,} of {plain(template)} are in stock now; {stock.issued:,} were issued.")


@coupons.command(name="list")
def list_(*, aws: Aws = False, as_json: Json = False) -> None:
    """List how many coupons of each template are left, and how many were issued."""
    stocks = pool_of(connect(aws=aws)).stocks()
    if as_json:
        print_json([{"shop_id": shop, "template": template, **stock._asdict()} for shop, template, stock in stocks])
        return
    for shop, template, stock in stocks:
        out.print(f"{plain(shop)}/{plain(template)}  {stock.left:,} left, {stock.issued:,} issued")
    if not stocks:
        out.print("There is no stock of any coupon; fill it with `rewards coupons add`.")


def pool_of(stack: Stack) -> DynamoCouponPool:
    return DynamoCouponPool(stack.dynamodb, stack["CouponsTableName"])
