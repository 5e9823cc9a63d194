"""Transactions of DynamoDB that met another one on the same item."""

import random
import time
from collections.abc import Callable

from botocore.exceptions import ClientError

CONFLICT = "TransactionConflict"
CONFLICT_TRIES = 3


def conflicts_retried(call: Callable[[], object]) -> None:
    """Call it, and call it again when it met a conflict: that passes in moments, but botocore does not try again."""
    for attempt in range(CONFLICT_TRIES):
        try:
            call()
            return
        except ClientError as error:
            if not _is_conflict(error):
                raise
            time.sleep(random.uniform(0, 0.05 * 2**attempt))  # noqa: S311 - jitter is no secret
    call()


def _is_conflict(error: ClientError) -> bool:
    reasons: list[dict[str, str]] = error.response.get("CancellationReasons", [])  # type: ignore[assignment]  # DynamoDB's own
    codes = {error.response["Error"]["Code"], *(reason.get("Code") for reason in reasons)}
    return "ConditionalCheckFailed" not in codes and bool(codes & {CONFLICT, f"{CONFLICT}Exception"})
