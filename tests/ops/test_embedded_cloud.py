"""The embedded cloud's process: found, refused, stopped; never someone else's."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from ops.embedded import cloud
from ops.trouble import Trouble


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    if running := cloud.running(tmp_path):
        cloud.stop(tmp_path, running)


def test_a_cloud_is_found_while_it_runs_and_not_afterwards(data: Path) -> None:
    assert cloud.running(data) is None
    started = cloud.start(data, "cloud")
    assert cloud.running(data) == started
    cloud.stop(data, started)
    assert cloud.running(data) is None


def test_a_second_cloud_on_the_same_data_is_refused(data: Path) -> None:
    first = cloud.start(data, "cloud")
    with pytest.raises(Trouble, match="runs already"):
        cloud.start(data, "demo")
    assert cloud.running(data) == first


def test_what_a_cloud_holds_is_there_again_on_the_same_port(data: Path) -> None:
    first = cloud.start(data, "cloud")
    queues(first).create_queue(QueueName="kept")
    cloud.stop(data, first)
    again = cloud.start(data, "cloud")
    assert again.port == first.port
    assert len(queues(again).list_queues()["QueueUrls"]) == 1


def test_a_port_that_another_program_took_meanwhile_is_named(data: Path) -> None:
    first = cloud.start(data, "cloud")
    cloud.stop(data, first)
    with socket.create_server((cloud.HOST, first.port)), pytest.raises(Trouble, match=f"Port {first.port}"):
        cloud.start(data, "cloud")


def test_a_process_that_merely_has_the_number_is_not_taken_for_the_cloud(data: Path) -> None:
    (data / "running.json").write_text(json.dumps({"room": "cloud", "pid": 1, "port": 4600}))
    assert cloud.running(data) is None


def queues(running: cloud.EmbeddedCloud):  # type: ignore[no-untyped-def]  # boto3's own type is long
    session = boto3.Session(cloud.CREDENTIALS, cloud.CREDENTIALS, region_name=cloud.REGION)
    return session.client("sqs", endpoint_url=running.endpoint)
