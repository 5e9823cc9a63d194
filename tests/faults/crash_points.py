"""Crash points: what can go wrong at a call of AWS or of a provider's service, and the one call at which it does.

They are botocore's own events on every client that the system makes, and whatever urllib3 sends, so a call that is new
in the code is tried without anyone listing it, and the code meets the errors it would meet.
"""

import io
import json
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import boto3
import urllib3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ClientError, ReadTimeoutError
from urllib3.exceptions import ReadTimeoutError as NothingRead

from tests.fakes.aws import Aws, Body

CONFLICT = (
    b"""{"__type": "com.amazonaws.dynamodb.v20120810#%s", "message": "by the test", "CancellationReasons": [%s]}"""
)


class Fault(StrEnum):
    """What becomes of a call."""

    DIES_BEFORE = "the process dies before it"
    DIES_AFTER = "the process dies after it was done"
    NO_REPLY = "it is done, and its caller hears nothing"
    DONE_TWICE = "the first reply is lost, and botocore, or a proxy, asks again by itself"
    THROTTLED = "it is refused: too many requests"
    CONFLICT = "it meets another write of the same item, or another request of the same key"


class Died(BaseException):
    """The process is gone. No `except Exception` catches it, as none would catch a crash."""


class CrashPoint:
    """Counts the calls of the system's clients while it is armed; the fault strikes at one of them, once."""

    def __init__(self, session: boto3.Session, aws: Aws) -> None:
        self.calls = 0
        self.struck: str | None = None
        self._fault: Fault | None = None
        self._at = 0
        self._is_armed = False
        self._is_now = False
        self._aws = aws
        session.events.register("before-call", self._before_call)
        session.events.register_first("before-send", self._before_send)
        session.events.register("after-call", self._after_call)

    def on_the_way_to(self, send: Callable[..., urllib3.BaseHTTPResponse]) -> Callable[..., urllib3.BaseHTTPResponse]:
        """`send` of urllib3, with a crash point at each request."""

        def sent(pool: urllib3.PoolManager, method: str, url: str, **asked: Any) -> urllib3.BaseHTTPResponse:
            if not self._strikes(f"{method} {url}", may_conflict=method == "POST"):
                return send(pool, method, url, **asked)
            match self._fault:
                case Fault.DIES_BEFORE:
                    raise Died
                case Fault.THROTTLED:
                    return _reply(429, {"Retry-After": "60"})
                case Fault.CONFLICT:
                    return _reply(409)
            _let_go(send(pool, method, url, **asked))
            match self._fault:
                case Fault.DIES_AFTER:
                    raise Died
                case Fault.NO_REPLY:
                    raise NothingRead(pool.connection_from_url(url), url, "by the test")
            return send(pool, method, url, **asked)

        return sent

    def arm(self, fault: Fault | None, at: int) -> None:
        """Let the fault strike at this call, counted from 1; without a fault the calls are only counted."""
        self.calls, self.struck, self._fault, self._at, self._is_armed = 0, None, fault, at, True

    def disarm(self) -> None:
        self._is_armed = False

    def _strikes(self, name: str, *, may_conflict: bool) -> bool:
        """Count a call; whether it is the one, and the fault one that it can meet."""
        if not self._is_armed:
            return False
        self.calls += 1
        if self._fault is None or self.calls != self._at or (self._fault is Fault.CONFLICT and not may_conflict):
            return False
        self.struck = f"{self._fault} ({name})"
        return True

    def _before_call(self, model: Any, **_: Any) -> None:
        name = f"{model.service_model.service_name}:{model.name}"
        self._is_now = self._strikes(name, may_conflict=_may_conflict(model))
        if not self._is_now:
            return
        if self._fault is Fault.DIES_BEFORE:
            raise Died
        if self._fault is Fault.THROTTLED:
            raise ClientError({"Error": {"Code": "ThrottlingException", "Message": "by the test"}}, model.name)

    def _before_send(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse | None:
        if self._is_now:
            if self._fault is Fault.DONE_TWICE:
                self._aws.answer(request)
            if self._fault is Fault.CONFLICT:
                return _conflict(request)
        return None

    def _after_call(self, **_: Any) -> None:
        is_now, self._is_now = self._is_now, False
        if is_now and self._fault is Fault.DIES_AFTER:
            raise Died
        if is_now and self._fault is Fault.NO_REPLY:
            raise ReadTimeoutError(endpoint_url="https://aws.example")


def _reply(status: int, headers: dict[str, str] | None = None) -> urllib3.HTTPResponse:
    return urllib3.HTTPResponse(io.BytesIO(b"by the test"), headers, status, preload_content=False)


def _let_go(reply: urllib3.BaseHTTPResponse) -> None:
    """Nobody reads it."""
    reply.close()
    reply.release_conn()


def _may_conflict(model: Any) -> bool:
    return model.service_model.service_name == "dynamodb" and model.name in (
        "TransactWriteItems",
        "UpdateItem",
        "PutItem",
        "BatchExecuteStatement",
    )


def _conflict(request: AWSPreparedRequest) -> AWSResponse:
    if request.headers["X-Amz-Target"].endswith(b"BatchExecuteStatement"):
        return _every_statement_conflicts(request)
    is_transaction = request.headers["X-Amz-Target"].endswith(b"TransactWriteItems")
    name, reasons = (b"TransactionCanceledException", b'{"Code": "TransactionConflict"}, {"Code": "None"}')
    if not is_transaction:
        name, reasons = b"TransactionConflictException", b""
    return AWSResponse(request.url, 400, {}, Body(CONFLICT % (name, reasons)))


def _every_statement_conflicts(request: AWSPreparedRequest) -> AWSResponse:
    """The call is answered well, and for each of its statements says that nothing was done."""
    statements = json.loads(request.body or b"{}")["Statements"]
    told = {"Error": {"Code": "TransactionConflict", "Message": "by the test"}}
    return AWSResponse(request.url, 200, {}, Body(json.dumps({"Responses": [told] * len(statements)}).encode()))
