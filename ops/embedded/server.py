"""The embedded cloud's process: MiniStack on the socket it is given. Started by `ops.embedded.cloud`."""

import asyncio
import os

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
    await serve(app, config)
    os.ftruncate(int(os.environ["DESCRIPTION"]), 0)
    os._exit(0)


if __name__ == "__main__":
    changes.make()
    asyncio.run(answer_until_stopped())
