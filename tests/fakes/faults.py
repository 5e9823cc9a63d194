"""What no double of AWS does by itself: replies that get lost, refusals, and whatever happens in between two calls.

All by botocore's own events, so the code under test meets the errors it would meet.
"""

import json
from collections.abc import Callable
from typing import Any

from botocore.client import BaseClient
from botocore.exceptions import ClientError, ReadTimeoutError


def lose_reply(client: BaseClient, operation: str) -> None:
    """The next call of the operation is done, but its caller hears nothing."""

    def lost(**_: Any) -> None:
        raise ReadTimeoutError(endpoint_url="https://aws.example")

    _for_next(1, client, f"after-call.*.{operation}", lost)


def refuse(client: BaseClient, operation: str, code: str, times: int = 1, table: str | None = None) -> None:
    """The next calls of the operation, on that table if one is named, are answered with this error and not done."""

    def refused(**_: Any) -> None:
        raise ClientError({"Error": {"Code": code, "Message": "refused by the test"}}, operation)

    def is_meant(params: dict[str, Any], **_: Any) -> bool:
        return table is None or json.loads(params["body"]).get("TableName") == table

    _for_next(times, client, f"before-call.*.{operation}", refused, is_meant)


def cancel(client: BaseClient, *codes: str, times: int = 1) -> None:
    """The next transactions are cancelled; for each of their actions a code says why, or `None` that it was well."""
    reasons = [{"Code": code} for code in codes]
    answer = {"Error": {"Code": "TransactionCanceledException", "Message": ""}, "CancellationReasons": reasons}

    def cancelled(**_: Any) -> None:
        raise client.exceptions.TransactionCanceledException(answer, "TransactWriteItems")

    _for_next(times, client, "before-call.*.TransactWriteItems", cancelled)


def change_answer(client: BaseClient, operation: str, times: int = 1, **fields: Any) -> None:
    """The next calls of the operation are done, and these fields of their answers are put in place of the real ones."""

    def changed(parsed: dict[str, Any], **_: Any) -> None:
        parsed.update(fields)

    _for_next(times, client, f"after-call.*.{operation}", changed)


def meanwhile(client: BaseClient, operation: str, act: Callable[[], object]) -> None:
    """Something that happens after the next call of the operation is answered."""
    _for_next(1, client, f"after-call.*.{operation}", lambda **_: act())


def _for_next(
    times: int,
    client: BaseClient,
    event: str,
    act: Callable[..., object],
    is_meant: Callable[..., bool] = lambda **_: True,
) -> None:
    left = times

    def acted(**arguments: Any) -> None:
        nonlocal left
        if not is_meant(**arguments):
            return
        left -= 1
        if not left:
            client.meta.events.unregister(event, acted)
        act(**arguments)

    client.meta.events.register(event, acted)
