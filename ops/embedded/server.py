"""The embedded cloud's process: MiniStack, with what this project needs changed.

Started by `ops.embedded.cloud`, which sets its environment. A change belongs here only where the emulator answers
unlike AWS in a way that matters to us, and each says why.
"""

import asyncio
import os

from hypercorn.asyncio import serve
from hypercorn.config import Config
from ministack.app import app
from ministack.services import eventbridge, scheduler


def stand_still() -> None:
    """Let no schedule fire by itself.

    Time on the embedded cloud is what `rewards dispatch` says it is: a schedule that fires at the real minute would
    work in the middle of another day, and two runs of the demo would not come out equal. (It would also fire at
    the wrong hour: the emulator reads every schedule as UTC.)
    """


async def answer_until_stopped() -> None:
    """Serve until SIGTERM; by then the state is saved, and nothing that still works may hold the process."""
    config = Config()
    config.bind = [f"fd://{os.environ['LISTENING_SOCKET']}"]
    config.keep_alive_timeout = 75
    await serve(app, config)
    os._exit(0)


if __name__ == "__main__":
    scheduler.start_scheduler = stand_still
    eventbridge.start_scheduler = stand_still
    asyncio.run(answer_until_stopped())
