"""The stack as it would be deployed, synthesized once for each stage."""

import os
import sys
from pathlib import Path

import pytest

from tests.infra.template import CONTEXT, SERVICE, Template, synthesize

os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # the CDK runs on Node


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker for all of these, since each worker needs a Node and a synthesis of its own."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("infra"))


@pytest.fixture(scope="session")
def dev() -> Template:
    return synthesize(stage="dev")


@pytest.fixture(scope="session")
def prod() -> Template:
    return synthesize(stage="prod")


@pytest.fixture(scope="session")
def with_service() -> Template:
    """The stack whose provider is somebody else's service."""
    return synthesize(rewards=CONTEXT["rewards"] | {"provider": SERVICE})


@pytest.fixture(scope="session")
def embedded() -> Template:
    return synthesize(embedded="true")
