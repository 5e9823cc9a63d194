"""A message as a queue delivers it to a step."""

from datetime import datetime

from msgspec import Struct


class Message(Struct, frozen=True, kw_only=True):
    """One delivery: `queue` is the ARN of the queue it came out of, `receipt` what that queue knows the delivery by.

    `attempts` counts the deliveries, this one included; `attributes` are the sender's, not the queue's own.
    `source` is the ARN of the queue it was first sent to, which differs from `queue` in a dead-letter queue.
    """

    id: str
    body: str
    queue: str
    source: str
    receipt: str
    attempts: int
    first_received_at: datetime
    attributes: dict[str, str] = {}
