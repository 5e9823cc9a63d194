"""What no double of AWS does by itself: replies that get lost, refusals, and whatever happens in between two calls.

All by botocore's own events, so the code under test meets the errors it would meet.
"""

from collections.abc import Callable
from typing import Any

from botocore.client import BaseClient
from botocore.exceptions import ClientError, ReadTimeoutError


def lose_reply(client: BaseClient, operation: str) -> None:
    """The next call of the operation is done, but its caller hears nothing."""

    def lost(**_: Any) -> None:
        raise ReadTimeoutError(endpoint_url="https://aws.example")

    _once(client, f"after-call.*.{operation}", lost)


def refuse(client: BaseClient, operation: str, code: str, times: int = 1) -> None:
    """The next calls of the operation are answered with this error and not done."""

    def refused(**_: Any) -> None:
        raise ClientError({"Error": {"Code": code, "Message": "refused by the test"}}, operation)

    for _ in range(times):
        _once(client, f"before-call.*.{operation}", refused)


def meanwhile(client: BaseClient, operation: str, act: Callable[[], object]) -> None:
    """Something that happens after the next call of the operation is answered."""
    _once(client, f"after-call.*.{operation}", lambda **_: act())


def _once(client: BaseClient, event: str, act: Callable[..., object]) -> None:
    def once(**arguments: Any) -> None:
        client.meta.events.unregister(event, once)
        act(**arguments)

    client.meta.events.register(event, once)
