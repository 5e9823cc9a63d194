"""Whether an order falls under a promotion, decided on the order as it was placed, whatever came back since."""

from rewards.order import Line, Order
from rewards.promotion import Eligibility, Promotion


def mismatch(promotion: Promotion, order: Order) -> str | None:
    """Why the order does not fall under the promotion, in words for people; None if it does."""
    if order.ordered_at is None or order.source is None:
        return "the order was not placed yet"
    if order.member_id is None:
        return "no member: a guest earns nothing"
    if order.currency != promotion.currency:
        return f"the order is in {order.currency}, the promotion in {promotion.currency}"
    if order.ordered_at < promotion.starts_at:
        return "ordered before the promotion began"
    if order.ordered_at >= promotion.ends_at:
        return "ordered after the promotion ended"
    if promotion.eligible.sources and order.source not in promotion.eligible.sources:
        return f"orders from {order.source} do not count"
    counted = [line.amount for line in order.lines if _counts(line, promotion.eligible)]
    if not counted:
        return "none of its lines counts"
    if sum(counted) < promotion.eligible.min_amount:
        return f"the lines that count come to {sum(counted)}, which is below {promotion.eligible.min_amount}"
    return None


def is_running(promotion: Promotion, order: Order) -> bool:
    """Whether the order was made in the promotion's time."""
    return order.ordered_at is not None and promotion.starts_at <= order.ordered_at < promotion.ends_at


def eligible_lines(promotion: Promotion, order: Order) -> tuple[str, ...] | None:
    """The ids of the order's lines that count; None, which takes no room in a row, if all do."""
    counted = tuple(line.line for line in order.lines if _counts(line, promotion.eligible))
    return None if len(counted) == len(order.lines) else counted


def _counts(line: Line, eligible: Eligibility) -> bool:
    """Each list that is not empty asks for something: for a sku and for a category, where both are given."""
    return (
        line.sku not in eligible.exclude_skus
        and (not eligible.skus or line.sku in eligible.skus)
        and (not eligible.categories or not set(eligible.categories).isdisjoint(line.categories))
    )
