"""A provider's service at hand, and our side of it."""

from collections.abc import Iterator

import pytest

from adapters.http_provider import HttpProvider
from tests.fakes.provider_server import ProviderServer, operations_at, provider_server


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with provider_server() as server:
        yield server


@pytest.fixture
def provider(server: ProviderServer) -> HttpProvider:
    return HttpProvider(operations_at(server))
