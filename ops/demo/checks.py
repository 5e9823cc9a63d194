"""What must hold in the books whatever was sent, twice, late or in any order."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from adapters.quota import counts_of
from ops.demo.books import Books
from ops.demo.sums import Sum, added_up
from rewards.deciding import MATCHED
from rewards.identifiers import split
from rewards.promotion import Promotion
from rewards.provider import Member


class Check(Struct, frozen=True):
    """Something that must hold, in the numbers it was judged by."""

    holds: bool
    words: str


def checks(books: Books, promotions: Iterable[Promotion]) -> list[Check]:
    total = added_up(books.orders, books.rewards)
    return [
        *_of_points(books, total),
        _of_coupons(books, total),
        _of_places(books, promotions),
        *_of_rewards(books, total),
    ]


def _of_points(books: Books, total: Sum) -> list[Check]:
    in_wallets = sum(account.balance for account in books.accounts)
    balances = Counter({account.member: account.balance for account in books.accounts})
    return [
        Check(
            total.kept_points == in_wallets,
            f"granted {total.granted_points:,} − recycled {total.recycled_points:,} = wallets {in_wallets:,}",
        ),
        Check(_owed(books) == balances, f"each of {len(balances):,} members holds what the rewards say"),
    ]


def _owed(books: Books) -> Counter[Member]:
    """Points by member: granted to the one who ordered, taken back from whom the order's returns name, if anyone."""
    named = {order.id: order.named_member for order in books.orders}
    owed: Counter[Member] = Counter()
    for row in books.rewards:
        if row.reward_type == "LoyaltyPoints":
            owed[Member(row.id.shop_id, row.member_id)] += row.points * row.is_reward
            owed[Member(row.id.shop_id, named[row.id.order] or row.member_id)] -= row.recycle_points
    return owed


def _of_coupons(books: Books, total: Sum) -> Check:
    """The coupons in the pool and those on the rewards are the same: each code, its member, and whether it is void."""
    on_rows = {
        (Member(row.id.shop_id, row.member_id), code, code in row.revoked_codes)
        for row in books.rewards
        for code in row.codes
    }
    in_pool = {(coupon.member, coupon.code, coupon.state == "revoked") for coupon in books.coupons}
    issued, left = sum(stock.issued for stock in books.stocks), sum(stock.left for stock in books.stocks)
    with_members = sum(coupon.state != "revoked" for coupon in books.coupons)
    return Check(
        on_rows == in_pool
        and issued == len(on_rows) == total.granted_coupons
        and with_members == total.kept_coupons
        and all(stock.left >= 0 for stock in books.stocks),
        f"coupons: issued {issued:,} − revoked {total.recycled_coupons:,} = with members {with_members:,}; "
        f"{left:,} left in stock",
    )


def _of_places(books: Books, promotions: Iterable[Promotion]) -> Check:
    """Every count of the quotas, of a shard or a member, is what the rewards hold, and no total is exceeded."""
    held = Counter(count for row in books.rewards for count in counts_of(row))
    totals = {each.promotion_id: each.quota.total for each in promotions if each.quota and each.quota.total}
    holding = Counter(row.id.promotion_id for row in books.rewards if row.place)
    taken = sum(used for count, used in books.places.items() if split(count)[2] == "SHARD")
    return Check(
        held == Counter(books.places) and all(holding[id] <= total for id, total in totals.items()),
        f"places: {taken:,} taken = {holding.total():,} held by rewards, of {sum(totals.values()):,} there are",
    )


def _of_rewards(books: Books, total: Sum) -> list[Check]:
    matches = sum(reason == MATCHED for order in books.orders for reason in order.decisions.values())
    settled = total.granted + total.cancelled + total.without_place
    return [
        Check(
            matches == total.rewards == settled + total.waiting,
            f"{matches:,} matches = {total.granted:,} granted + {total.cancelled:,} cancelled + "
            f"{total.without_place:,} without a place + {total.waiting:,} waiting",
        ),
        Check(
            total.unfinished == 0,
            f"{total.unshipped:,} rewards wait for their parcels to leave, {total.unfinished:,} for anything else",
        ),
        Check(
            total.held == 0 and books.letters == 0, f"{total.held:,} held for a person, {books.letters:,} dead letters"
        ),
    ]
