"""Some orders and what became of their rewards, added up."""

from collections.abc import Iterable

from msgspec import Struct

from rewards.order import Order
from rewards.reward import Reward
from rewards.status import Status


class Sum(Struct):
    """Numbers of orders and rewards, of points and of coupons.

    `unshipped` rewards wait for their parcel to leave, and for nothing else; on the `unfinished` ones something else is
    still to be done.
    """

    orders: int = 0
    rewards: int = 0
    granted: int = 0
    cancelled: int = 0
    without_place: int = 0
    unshipped: int = 0
    unfinished: int = 0
    held: int = 0
    places: int = 0
    recycled: int = 0
    granted_points: int = 0
    recycled_points: int = 0
    granted_coupons: int = 0
    recycled_coupons: int = 0

    @property
    def waiting(self) -> int:
        return self.unshipped + self.unfinished

    @property
    def kept_points(self) -> int:
        return self.granted_points - self.recycled_points

    @property
    def kept_coupons(self) -> int:
        return self.granted_coupons - self.recycled_coupons

    def add(self, reward: Reward) -> None:
        is_settled = reward.due is None and reward.lock is None
        is_unshipped = reward.status is Status.WAIT and is_settled and reward.held is None
        self.rewards += 1
        self.granted += reward.is_reward
        self.cancelled += reward.status is Status.CANCEL
        self.without_place += reward.status is Status.NO_QUOTA
        self.unshipped += is_unshipped
        self.unfinished += not is_unshipped and (reward.status in (Status.OCCUPY, Status.WAIT) or not is_settled)
        self.held += reward.held is not None
        self.places += reward.place is not None
        self.recycled += reward.is_recycle
        granted = reward.points if reward.is_reward else 0
        if reward.reward_type == "ECoupon":
            self.granted_coupons += granted
            self.recycled_coupons += reward.recycle_points
        else:
            self.granted_points += granted
            self.recycled_points += reward.recycle_points


def added_up(orders: Iterable[Order], rewards: Iterable[Reward]) -> Sum:
    total = Sum(orders=len(list(orders)))
    for reward in rewards:
        total.add(reward)
    return total
