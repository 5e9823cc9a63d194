"""AWS inside this process: MiniStack answers every call of a boto3 session, with no server and no socket in between.

So a call takes half a millisecond, and time is one for both sides: where a test has stopped the clock, the delays and
visibility timeouts of the queues stand still too.
"""

import asyncio
import io
import logging
import threading
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSRequest, AWSResponse


class Body(io.BytesIO):
    """The body of an answer, as botocore reads it."""

    def stream(self, **_: Any) -> list[bytes]:
        return [self.read()]


class Aws:
    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._one_at_a_time = threading.Lock()
        logging.getLogger().addHandler(
            logging.NullHandler()
        )  # without one MiniStack, imported, would tell of everything
        self._app = import_module("ministack.app").app
        changes = import_module("ops.embedded.changes")
        changes.dynamodb._partiql_update = changes.update_with_stream

    def answers(self, session: boto3.Session) -> None:
        """From now on, for all clients that the session makes."""
        session.events.register("before-send", self.answer)

    def answer(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        request.reset_stream()  # it may have been answered before, and its reply lost
        with self._one_at_a_time:
            status, headers, body = self._loop.run_until_complete(_asked(self._app, request))
        return AWSResponse(request.url, status, headers, Body(body))

    def forget(self) -> None:
        """Nothing was ever made."""
        reset = AWSRequest("POST", "http://localhost/_ministack/reset", headers={}).prepare()
        assert self.answer(reset).status_code == 200

    def close(self) -> None:
        self._loop.close()


async def _asked(app: Any, request: AWSPreparedRequest) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the answer."""
    address, body = urlsplit(request.url), _bytes(request.body)
    headers = [(name.lower().encode(), _bytes(value)) for name, value in request.headers.items()]
    scope = {
        "type": "http",
        "method": request.method,
        "path": address.path,
        "query_string": address.query.encode(),
        "headers": [*headers, (b"host", address.netloc.encode())],
    }
    told: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    async def send(message: dict[str, Any]) -> None:
        told.append(message)

    await app(scope, receive, send)
    start, *rest = told
    named = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], named, b"".join(message.get("body", b"") for message in rest)


def _bytes(value: Any) -> bytes:
    if hasattr(value, "read"):
        value = value.read()
    return value if isinstance(value, bytes) else str(value or "").encode()
