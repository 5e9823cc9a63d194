"""What goes to AWS: libraries cut down to what the functions use, and bytecode that is taken as it is."""

import gzip
import importlib.util
import json
import marshal
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import botocore
import pytest
from botocore import xform_name
from botocore.loaders import Loader
from botocore.session import Session

from infra import building, code
from infra.trimming import SERVICES, trim

FUNCTIONS = Path(__file__).parents[2] / "functions"
INSTALLED = Path(botocore.__file__).parent / "data"


@pytest.fixture(scope="module")
def trimmed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """botocore's data as the layer has it, made of what is installed."""
    data = tmp_path_factory.mktemp("botocore") / "data"
    shutil.copytree(INSTALLED, data)
    trim(data)
    return data


def client(service: str, data: Path | None) -> Any:
    session = Session()
    if data:
        loader = Loader(extra_search_paths=[str(data)], include_default_search_paths=False)
        session.register_component("data_loader", loader)
    return session.create_client(service, "ap-northeast-1", aws_access_key_id="nobody", aws_secret_access_key="nothing")


def test_nothing_else_is_left(trimmed: Path) -> None:
    assert {entry.name for entry in trimmed.iterdir() if entry.is_dir()} == set(SERVICES)
    assert not list(trimmed.rglob("examples*"))


def test_the_services_are_those_that_the_functions_make_clients_of() -> None:
    made = (FUNCTIONS / "bootstrap" / "clients.py").read_text().split('create_client("')[1:]
    assert {each.split('"')[0] for each in made} == set(SERVICES)


@pytest.mark.parametrize("service", SERVICES)
def test_a_client_can_do_and_knows_the_same(trimmed: Path, service: str) -> None:
    whole, cut = client(service, None), client(service, trimmed)
    assert cut.meta.endpoint_url == whole.meta.endpoint_url
    assert cut.meta.service_model.operation_names == whole.meta.service_model.operation_names
    for operation in whole.meta.service_model.operation_names:
        for shape in ("input_shape", "output_shape"):
            expected = getattr(whole.meta.service_model.operation_model(operation), shape)
            found = getattr(cut.meta.service_model.operation_model(operation), shape)
            assert (found and list(found.members)) == (expected and list(expected.members))


@pytest.mark.parametrize(
    ("service", "operation", "arguments"),
    [
        ("dynamodb", "GetItem", {"TableName": "ledger", "Key": {"Order": {"S": "1"}}}),
        ("events", "PutEvents", {"Entries": [{"Source": "rewards", "DetailType": "RewardBooked", "Detail": "{}"}]}),
        ("s3", "GetObject", {"Bucket": "lists", "Key": "a/b"}),
        ("s3", "ListObjectsV2", {"Bucket": "lists", "Prefix": "a/"}),
        ("secretsmanager", "GetSecretValue", {"SecretId": "provider"}),
        ("sqs", "SendMessage", {"QueueUrl": "https://sqs.ap-northeast-1.amazonaws.com/1/q", "MessageBody": "{}"}),
    ],
)
def test_a_client_asks_the_same(trimmed: Path, service: str, operation: str, arguments: dict[str, Any]) -> None:
    """By way of all that botocore looks up for a request: endpoint, signature, serializer."""
    whole, cut = (request_of(client(service, data), operation, arguments) for data in (None, trimmed))
    assert whole == cut


def request_of(client: Any, operation: str, arguments: dict[str, Any]) -> tuple[str, str, Any, set[str]]:
    """What would be sent: method, URL, body, and the names of the headers, which hold the time."""
    sent = []

    def caught(request: Any, **_: Any) -> None:
        sent.append((request.method, request.url, request.body, set(request.headers)))
        raise InterruptedError

    client.meta.events.register_first("before-send", caught)
    with pytest.raises(InterruptedError):
        getattr(client, xform_name(operation))(**arguments)
    (request,) = sent
    return request


def test_a_member_of_a_shape_may_be_called_documentation(tmp_path: Path) -> None:
    described = {"documentation": "much", "shapes": {"A": {"members": {"documentation": {"shape": "B"}}}}}
    folder = tmp_path / "sqs" / "2012-11-05"
    folder.mkdir(parents=True)
    (folder / "service-2.json.gz").write_bytes(gzip.compress(json.dumps(described).encode()))
    (tmp_path / "endpoints.json").write_text('{"partitions": []}')
    trim(tmp_path)
    assert json.loads((folder / "service-2.json").read_text()) == described | {"documentation": ""}


def test_the_code_comes_with_bytecode_that_asks_for_no_time_and_names_its_place_in_aws() -> None:
    built = code.build(for_lambda=False, for_host=True)
    assert not list(built.glob("requirements.*"))
    for source in built.rglob("*.py"):
        compiled = Path(importlib.util.cache_from_source(str(source))).read_bytes()
        assert compiled[:4] == importlib.util.MAGIC_NUMBER
        assert int.from_bytes(compiled[4:8], "little") == 0b01  # by its hash, and unchecked
        assert marshal.loads(compiled[16:]).co_filename == f"{code.AT}/{source.relative_to(built)}"  # noqa: S302


def test_only_a_python_of_lambdas_version_compiles_for_lambda() -> None:
    python = building.lambdas_python()
    assert building.pythons(for_lambda=True, for_host=False) == ((python,) if python else ())
    if python:
        told = subprocess.run([python, "--version"], check=True, capture_output=True, text=True).stdout
        assert told.startswith(f"Python {building.RUNTIME}.")


def test_the_embedded_cloud_gets_bytecode_of_this_python() -> None:
    assert sys.executable in building.pythons(for_lambda=True, for_host=True)
