"""A provider's service at hand and our side of it, and a DynamoDB that knows PartiQL."""

from collections.abc import Iterator

import boto3
import pytest
from botocore.client import BaseClient

from adapters.http_provider import HttpProvider
from tests.fakes.aws import Aws
from tests.fakes.provider_server import ProviderServer, operations_at, provider_server


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with provider_server() as server:
        yield server


@pytest.fixture
def provider(server: ProviderServer) -> HttpProvider:
    return HttpProvider(operations_at(server))


@pytest.fixture(scope="session")
def aws() -> Iterator[Aws]:
    aws = Aws()
    yield aws
    aws.close()


@pytest.fixture
def session(aws: Aws) -> boto3.Session:
    """An account in which there is nothing yet."""
    aws.forget()
    session = boto3.Session()
    aws.answers(session)
    return session


@pytest.fixture
def dynamodb(session: boto3.Session) -> BaseClient:
    return session.client("dynamodb")
