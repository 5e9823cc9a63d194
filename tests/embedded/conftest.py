"""One embedded cloud for these tests, on a free port and in a folder of its own, with the real stack on it."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import get_args

import pytest

from ops import clock
from ops.embedded import cloud
from ops.embedded.deploy import bootstrap, deploy
from ops.stack import Stack, embedded_stack
from rewards.windows import Kind
from tests.ports import own_ports


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with the stack deployed in its room `cloud`."""
    folder = tmp_path_factory.mktemp("data")
    running = cloud.start(folder, "cloud", ports=own_ports())
    try:
        bootstrap(running, folder / "cloud")
        deploy(running, folder / "cloud")
        yield folder
    finally:
        if still := cloud.running(folder):
            cloud.stop(folder, still)


@pytest.fixture
def stack(data: Path) -> Stack:
    running = cloud.running(data)
    assert running
    return embedded_stack(running)


def begin_at(stack: Stack, at: datetime) -> None:
    """Let a test begin at a time before that of others: what planner and sweep remember of later times is forgotten."""
    for kind in get_args(Kind):
        for item in (f"CURSOR#{kind}", f"OLDEST#{kind}"):
            stack.dynamodb.delete_item(TableName=stack["ControlTableName"], Key={"Item": {"S": item}})
    clock.move_to(stack, at)
