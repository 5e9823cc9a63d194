"""The embedded cloud's process: MiniStack on the socket it is given. Started by `ops.embedded.cloud`."""

import asyncio
import os
from typing import Any

from hypercorn.asyncio import serve
from hypercorn.config import Config
from ministack.app import app

from ops.embedded import changes


async def answer_until_stopped() -> None:
    """Serve until SIGTERM; by then the state is saved, and nothing that still works may hold the process.

    The description is emptied, for one that is left over tells of a process that was killed.
    """
    config = Config()
    config.bind = [f"fd://{os.environ['LISTENING_SOCKET']}"]
    config.keep_alive_timeout = 75
    await serve(answer_as_over_tls, config)
    os.ftruncate(int(os.environ["DESCRIPTION"]), 0)
    os._exit(0)


async def answer_as_over_tls(scope: Any, receive: Any, send: Any) -> None:
    """Take every request for one that came over TLS: the template's policies refuse others, and here is no wire."""
    if scope["type"] == "http":
        scope = {**scope, "scheme": "https"}
    await app(scope, receive, send)


if __name__ == "__main__":
    changes.make()
    asyncio.run(answer_until_stopped())
