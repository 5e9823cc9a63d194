"""One embedded cloud for these tests, on a free port and in a folder of its own, with the real stack on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.embedded import cloud
from ops.embedded.deploy import bootstrap, deploy
from ops.stack import Stack, embedded_stack


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with the stack deployed in its room `cloud`."""
    folder = tmp_path_factory.mktemp("data")
    running = cloud.start(folder, "cloud")
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
