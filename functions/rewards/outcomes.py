"""What came of a message: values, counted by their names. A lost race is a result, not an error."""

from msgspec import Struct

from rewards.order import OrderId
from rewards.reward import RewardId


class OfReward(Struct, frozen=True):
    """An outcome for one reward."""

    reward: RewardId


class OfOrder(Struct, frozen=True):
    """An outcome for an order as a whole."""

    order: OrderId


class Booked(OfReward, frozen=True):
    """The reward waits for its booking time."""


class NothingToEarn(OfReward, frozen=True):
    """The promotion matched, but what is kept of the order earns nothing."""


class Occupied(OfReward, frozen=True):
    """The order holds a place until it is paid, or not paid in time."""


class FoundNoPlace(OfReward, frozen=True):
    """The promotion matched, but its quota has no place left."""


class NothingToHold(OfOrder, frozen=True):
    """No promotion holds a place for an order that was only placed."""


class PlacedBefore(OfOrder, frozen=True):
    """A repeat, or the order is paid already: nothing is decided twice."""


class Expired(OfReward, frozen=True):
    """Not paid in time: the place it held is free again."""


class NothingMatched(OfOrder, frozen=True):
    """No promotion matched; the order says why."""


class AlreadyPaid(OfOrder, frozen=True):
    """A repeated payment: nothing is decided twice."""


class Rebooked(OfReward, frozen=True):
    """The parcel left, and the reward waits for the booking time counted from that."""


class ShippingKept(OfOrder, frozen=True):
    """The shipping is recorded; there is no reward that counts from it."""


class HeldForPerson(OfReward, frozen=True):
    """Paid again after it was taken back: a person decides."""


class ReturnKept(OfOrder, frozen=True):
    """The return is recorded; there is no reward that it could change."""


class NotHeldBack(OfOrder, frozen=True):
    """A failed payment of an order that holds no place."""


class Lowered(OfReward, frozen=True):
    """Still waiting, for fewer points."""


class Cancelled(OfReward, frozen=True):
    """Nothing is left to earn and nothing was granted."""


class WaitsForWorker(OfReward, frozen=True):
    """A worker has it claimed; it will find the return when it settles."""


class SentToRecycle(OfReward, frozen=True):
    """Points the order no longer earns stand in the due index to be taken back."""


class Unchanged(OfReward, frozen=True):
    """The reward agrees with the order already."""


class Granted(OfReward, frozen=True):
    """The provider holds the points, and the row says so."""

    points: int


class Recycled(OfReward, frozen=True):
    """Points were taken back."""

    points: int


class Shortfall(OfReward, frozen=True):
    """Taken back as far as the balance went; the rest is recorded."""

    points: int
    missing: int


class TooEarly(OfReward, frozen=True):
    """Its time has not come; it stands in the due index."""


class NotOwed(OfReward, frozen=True):
    """Nothing is due on this row any more: done before, cancelled, or held."""


class LostRace(OfReward, frozen=True):
    """Another worker has it."""


class BreakerOpen(OfReward, frozen=True):
    """Nobody is to call the provider for now; the row is as it was, and stands in the due index."""


class NoStock(OfReward, frozen=True):
    """No coupon to be had; booked again for the next restocking hour."""


class GivenUp(OfReward, frozen=True):
    """Held for a person: refused, out of stock or without an answer for too long."""


class Unsettled(OfReward, frozen=True):
    """The provider's answer is not known; the same key will be asked again."""

    problem: str
