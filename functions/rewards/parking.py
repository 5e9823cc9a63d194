"""Parking: a reward that nobody works on any more gets a dead letter, as a message that was given up does.

The letter is made of a change in the ledger's stream, as the history is: so no row is parked without one, and none
gets one without being parked. Made again, it is the same letter.
"""

from hashlib import blake2b

import msgspec

from rewards import __version__
from rewards.history import Change
from rewards.identifiers import join
from rewards.letters import TIMES_REDRIVEN, Letter
from rewards.reward import Held
from rewards.tasks import task_of

SOURCE = "ledger"


def letter_of(change: Change) -> Letter | None:
    """The letter of a row that this change parked. Its body is the task that names the row, for the step it names."""
    before, after = change
    if before is None or before.held == after.held:
        return None
    match after.held:
        case Held(kind="refused" | "expired" | "exhausted" as kind, reason=reason):
            since = before.no_stock_since if kind == "expired" else before.first_failed_at
            return Letter(
                id=blake2b(join(*after.id, str(after.version)).encode(), digest_size=16).hexdigest(),
                kind=kind,
                step=after.changed_by,
                source=SOURCE,
                body=msgspec.json.encode(task_of(after)).decode(),
                attributes={TIMES_REDRIVEN: str(after.redriven)} if after.redriven else {},
                attempts=after.stock_outs if kind == "expired" else before.attempts + 1,
                error=reason,
                first_failed_at=since or after.changed_at,
                failed_at=after.changed_at,
                service_version=__version__,
                shop_id=after.id.shop_id,
                order_group=after.id.order_group,
                promotion_id=after.id.promotion_id,
            )
    return None
