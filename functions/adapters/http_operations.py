"""Operations at a provider's HTTP service, each asked for once under its key, and what every reply means.

    200, 201                     the result
    409                          seen before: the result is asked for by key
    401, 403, 408, 425, 429      not now; a 401 only after the secret was read anew
    any other 4xx                refused
    no connection                not now: nothing was sent
    anything else                it may have been done, so it is asked for by key; still unknown if that tells nothing

"Anything else" is a timeout, a connection that broke, a 5xx, a redirect, a body that cannot be read.
"""

import string
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple, TypeVar
from urllib.parse import quote

import msgspec
from urllib3 import PoolManager, Timeout
from urllib3.exceptions import ConnectTimeoutError, HTTPError
from urllib3.util import parse_url

from adapters.retry_after import retry_after
from adapters.secret import Secret
from rewards.provider import NotNow, Refused, Unknown

CONNECTIONS = 4
TIMEOUT = Timeout(connect=2, read=5)
"""Seconds. A call with the asking after it fits into a worker's time several times over."""

LONGEST_BODY = 64 * 1024
LONGEST_REASON = 300
UNREADABLE = (ValueError, RecursionError)
"""What reading a body may raise: it is no result, or nested without end."""

NOT_NOW = (401, 403, 408, 425, 429)

T = TypeVar("T")


class Reply(NamedTuple):
    """A reply whose body may be cut off; JSON that was cut is no JSON."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def problem(self) -> str:
        """For a person to read: the status, and how the body begins."""
        text = " ".join(self.body.decode(errors="replace").split())
        return f"HTTP {self.status}: {text}"[:LONGEST_REASON]


class HttpOperations:
    """The service at a base URL, to which a bearer token opens the door.

    Connections are kept open, and never more than a few; nothing is tried again here but after a 401.
    Raises ValueError for a URL that would send the token in the clear, and whatever reading the secret raises.
    """

    def __init__(self, url: str, secret: Secret, *, now: Callable[[], datetime], timeout: Timeout = TIMEOUT) -> None:
        self._url = _checked(url).rstrip("/")
        self._secret = secret
        self._now = now
        self._pool = PoolManager(maxsize=CONNECTIONS, block=True, timeout=timeout, cert_reqs="CERT_REQUIRED")

    def once(
        self, path: str, key: str, arguments: Mapping[str, object], read: Callable[[bytes], T]
    ) -> T | Refused | NotNow | Unknown:
        """Ask for an operation under its key. `read` makes an answer of a result, or raises ValueError."""
        try:
            reply = self._post(path, key, arguments)
        except ConnectTimeoutError as error:  # a refused connection and an unknown host are among them
            return NotNow(f"{type(error).__name__}: {error}")
        except HTTPError as error:
            return self._first_result(key, read, f"{type(error).__name__}: {error}")
        match reply.status:
            case 200 | 201:
                try:
                    return read(reply.body)
                except UNREADABLE as error:
                    return self._first_result(key, read, f"unreadable: {error}")
            case status if status in NOT_NOW:
                return NotNow(reply.problem, retry_after(reply.headers.get("Retry-After"), self._now()))
            case status if 400 <= status < 500 and status != 409:
                return Refused(reply.problem)
        return self._first_result(key, read, reply.problem)

    def _first_result(self, key: str, read: Callable[[bytes], T], problem: str) -> T | Unknown:
        """What the operation came to when it was first asked for; unknown, for that `problem`, if nobody can tell.

        A 404 says that it was never done so far, but a slow request may still be on its way: the same key will be
        asked for again.
        """
        try:
            reply = self._authorized("GET", f"/operations/{quote(printable(key), safe='')}")
            if reply.status == 200:
                return read(reply.body)
        except (HTTPError, *UNREADABLE) as error:
            return Unknown(f"{problem}; asked by key: {error}")
        return Unknown(f"{problem}; asked by key: {reply.problem}")

    def _post(self, path: str, key: str, arguments: Mapping[str, object]) -> Reply:
        headers = {"Content-Type": "application/json", "Idempotency-Key": printable(key)}
        return self._authorized("POST", path, headers, msgspec.json.encode(arguments))

    def _authorized(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Reply:
        reply = self._request(method, path, headers, body)
        if reply.status == 401 and self._secret.is_renewed():
            return self._request(method, path, headers, body)
        return reply

    def _request(self, method: str, path: str, headers: Mapping[str, str] | None, body: bytes | None) -> Reply:
        response = self._pool.request(
            method,
            self._url + path,
            body=body,
            headers={"Authorization": f"Bearer {self._secret.value()}", **(headers or {})},
            redirect=False,
            retries=False,
            preload_content=False,
        )
        try:
            return Reply(response.status, response.headers, response.read(LONGEST_BODY))
        finally:
            response.close()  # a connection on which something is left to read is of no more use
            response.release_conn()


def printable(key: str) -> str:
    """The key as it goes over the wire: visible ASCII, all else and `%` percent-encoded, the same for the same key."""
    return quote(key, safe=string.punctuation.replace("%", ""))


def _checked(url: str) -> str:
    parts = parse_url(url)
    is_local = parts.scheme == "http" and parts.host in ("127.0.0.1", "localhost")
    if not parts.host or not (parts.scheme == "https" or is_local):
        raise ValueError("the provider's URL must begin with https://, or with http:// on this very machine")
    if parts.auth or parts.query or parts.fragment:
        raise ValueError("the provider's URL must have no user, query or fragment")
    return url
