"""A provider's service as somebody else would write it: HTTP on a port of this machine, with what goes wrong there.

It remembers the first result for every key and gives it to whoever asks again, or answers 409 if it is that kind.
"""

import json
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, NamedTuple
from urllib.parse import unquote

from adapters.http_operations import HttpOperations
from adapters.secret import Secret
from rewards.provider import Issued, Member, Refused, Revoked
from tests.builders import NOW
from tests.fakes.coupons import MemoryCoupons
from tests.fakes.points import MemoryPoints, grant_one


class Request(NamedTuple):
    """What was asked: GET has no body and no key but in its path."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


class Reply(NamedTuple):
    """A reply and the JSON in it."""

    status: int
    result: dict[str, Any]


class Fault(NamedTuple):
    """What comes instead of the reply to a request; without a status the connection is cut.

    `works`: what was asked is done all the same. `after`: not before this happens.
    """

    status: int | None = None
    body: bytes = b""
    headers: Mapping[str, str] = {}
    works: bool = False
    after: Event | None = None


DROPPED = Fault(works=True)
BROKEN = Fault()


class ProviderServer(ThreadingHTTPServer):
    """The service: `faults` go to the next requests, one each; `requests` are all that came."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/rewards"
        self.points = MemoryPoints()
        self.coupons = MemoryCoupons()
        self.token = "opens-the-door"
        self.says_409_to_a_repeat = False
        self.faults: deque[Fault] = deque()
        self.requests: list[Request] = []
        self.connections = 0
        self.replies: dict[str, Reply] = {}
        self._lock = Lock()

    def says(self, body: bytes, status: int = 200) -> None:
        """What the next request is told, whatever it is; nothing is done."""
        self.faults.append(Fault(status, body))

    def methods(self) -> list[str]:
        return [request.method for request in self.requests]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up, as ours does when it waits no longer, is no error of the server."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def reply(self, request: Request) -> Fault | Reply:
        """The fault that is due, or the right reply."""
        with self._lock:
            self.requests.append(request)
            fault = self.faults.popleft() if self.faults else None
            if fault and not fault.works:
                return fault
            reply = self._work(request)
            return fault or reply

    def _work(self, request: Request) -> Reply:
        if request.headers["Authorization"] != f"Bearer {self.token}":
            return Reply(401, {"reason": "another token is needed"})
        if request.method == "GET":
            known = self.replies.get(unquote(request.path.removeprefix("/rewards/operations/")))
            return Reply(200, known.result) if known else Reply(404, {"reason": "never done"})
        key = request.headers["Idempotency-Key"]
        if key not in self.replies:
            self.replies[key] = self._first_reply(request.path, key, **request.body)
        elif self.says_409_to_a_repeat:
            return Reply(409, {"reason": "seen before"})
        return self.replies[key]

    def _first_reply(self, path: str, key: str, member: dict[str, str], **asked: Any) -> Reply:
        to = Member(**member)
        match path.removeprefix("/rewards"):
            case "/points/grants":
                return _done(points=grant_one(self.points, key, to, **asked).points)
            case "/points/reclaims":
                return _done(collected=self.points.reclaim(key, member=to, **asked).points)
            case "/coupons/issues":
                answer = self.coupons.issue(key, member=to, **asked)
            case "/coupons/revokes":
                answer = self.coupons.revoke(key, to, tuple(asked["codes"]))
        match answer:
            case Issued(codes=codes):
                return _done(codes=codes)
            case Revoked(revoked=revoked, used=used):
                return _done(revoked=revoked, used=used)
            case Refused(reason=reason):
                return Reply(422, {"outcome": "refused", "reason": reason})
        return Reply(200, {"outcome": "out_of_stock"})


def _done(**result: Any) -> Reply:
    return Reply(201, {"outcome": "done"} | result)


class _Handler(BaseHTTPRequestHandler):
    server: ProviderServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 10

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the test says what it expects."""

    def _answer(self, asked: dict[str, Any]) -> None:
        reply = self.server.reply(Request(self.command, self.path, self.headers, asked))
        if isinstance(reply, Fault):
            if reply.after:
                reply.after.wait(timeout=10)
            if reply.status is None:
                self.close_connection = True
                return
            self._send(reply.status, reply.body, reply.headers)
        else:
            self._send(reply.status, json.dumps(reply.result).encode(), {"Content-Type": "application/json"})

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | dict(headers)).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def provider_server() -> Iterator[ProviderServer]:
    """A running service on a free port."""
    with ProviderServer() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def operations_at(server: ProviderServer) -> HttpOperations:
    """The service as our side reaches it, with the right token."""
    return HttpOperations(server.url, Secret(lambda: server.token), now=lambda: NOW)
