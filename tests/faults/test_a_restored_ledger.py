"""The ledger is restored to a point in time, and told again what came since: nobody has more or less than before.

The keys of the providers are counted by the rows, so a row that was thrown back asks under the keys it has used, and
is told what was done under them.
"""

import pytest

from adapters.ledger import DynamoLedger
from adapters.quota import DynamoQuota
from adapters.wallet import DynamoWallet
from rewards.order import OrderId
from rewards.provider import Member
from rewards.reward import Reward
from tests.faults.crash_points import CrashPoint
from tests.faults.restoring import back_up, restore
from tests.faults.stack import Stack
from tests.faults.stories import DAY, HELD, HOUR, PAID, PLACED, TOMORROW, Chapter, Story, at_once, live, returned

MEMBER = Member("1", "0012345")
BEFORE = Chapter(HOUR, (PLACED, PAID))
SINCE = (
    Chapter(2 * DAY),
    Chapter(3 * DAY, (returned("R1", "TS1"),)),
    Chapter(4 * DAY, (at_once(returned("R2", "TS1"), returned("R3", "TS1")),)),
)
TOLD_AGAIN = tuple(
    Chapter(5 * DAY + HOUR * number, (returned(f"R{number}", "TS1"),)) for number in (1, 2, 3)
)  # fmt: skip


def rewards(stack: Stack) -> list[Reward]:
    quota = DynamoQuota(stack.dynamodb, "QUOTA_TABLE")
    return DynamoLedger(stack.dynamodb, "LEDGER_TABLE", quota).rewards(OrderId("1", "TG20193021"))


@pytest.mark.parametrize("lost", [0, 1, 2, 3])
def test_what_was_done_since_is_found_again_and_not_done_again(
    lost: int, stack: Stack, crash_point: CrashPoint
) -> None:
    """`lost` chapters were lived before the restore, and are not in the ledger any more."""
    crash_point.disarm()
    Story((TOMORROW, HELD), (), ends={}).begin(stack)
    live(BEFORE, stack)
    backup = back_up(stack)
    for chapter in SINCE[:lost]:
        live(chapter, stack)
    wallet = DynamoWallet(stack.dynamodb, "WALLET_TABLE")
    held = wallet.balance(MEMBER)

    restore(stack, backup)
    live(Chapter(4 * DAY + HOUR), stack)
    for chapter in TOLD_AGAIN:
        live(chapter, stack)

    undisturbed = {"held": (79, 50), "tomorrow": (79, 69)}
    assert {
        row.id.promotion_id: (row.points, row.recycle_points + row.shortfall) for row in rewards(stack)
    } == undisturbed, held
    assert not any(row.shortfall or row.due or row.lock for row in rewards(stack))
    assert wallet.balance(MEMBER) == sum(row.outstanding for row in rewards(stack))
