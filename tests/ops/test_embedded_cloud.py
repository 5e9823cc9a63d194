"""The embedded cloud's process: found, refused, stopped; never someone else's."""

import fcntl
import json
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from ministack.services import sqs
from typer.testing import CliRunner

from ops.cli import app
from ops.cloud_commands import DEMO, ROOM, problem_of
from ops.embedded import changes, cloud
from ops.trouble import Trouble
from tests.ports import own_ports


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    if running := cloud.running(tmp_path):
        cloud.stop(tmp_path, running)


def test_a_cloud_is_found_while_it_runs_and_not_afterwards(data: Path) -> None:
    assert cloud.running(data) is None
    started = cloud.start(data, "cloud", ports=own_ports())
    assert cloud.running(data) == started
    cloud.stop(data, started)
    assert cloud.running(data) is None


def test_a_second_cloud_on_the_same_data_is_refused(data: Path) -> None:
    first = cloud.start(data, "cloud", ports=own_ports())
    with pytest.raises(Trouble, match="runs already"):
        cloud.start(data, "demo", ports=own_ports())
    assert cloud.running(data) == first


def test_what_a_cloud_holds_is_there_again_on_the_same_port(data: Path) -> None:
    first = cloud.start(data, "cloud", ports=own_ports())
    queues(first).create_queue(QueueName="kept")
    cloud.stop(data, first)
    again = cloud.start(data, "cloud", ports=own_ports())
    assert again.port == first.port
    assert len(queues(again).list_queues()["QueueUrls"]) == 1


def test_no_queue_changes_while_it_is_kept() -> None:
    class Queue:
        def __deepcopy__(self, _: object) -> bool:
            return sqs._queues_lock.locked()

    sqs._queues["a queue"] = Queue()
    try:
        assert changes.state_of_one_moment()["queues"]["a queue"]
    finally:
        del sqs._queues["a queue"]


def test_a_port_that_another_program_took_meanwhile_is_named(data: Path) -> None:
    first = cloud.start(data, "cloud", ports=own_ports())
    cloud.stop(data, first)
    with socket.create_server((cloud.HOST, first.port)), pytest.raises(Trouble, match=f"Port {first.port}"):
        cloud.start(data, "cloud", ports=own_ports())


def test_a_process_that_merely_has_the_number_is_not_taken_for_the_cloud(data: Path) -> None:
    (data / "running.json").write_text(json.dumps({"room": "cloud", "pid": 1, "port": 4600}))
    assert cloud.running(data) is None


@pytest.mark.parametrize("written", ["", '{"room": "cl'])
def test_a_cloud_that_is_being_started_or_stopped_is_none_to_work_with(data: Path, written: str) -> None:
    with (data / "running.json").open("w") as description:
        fcntl.flock(description, fcntl.LOCK_EX)
        description.write(written)
        description.flush()
        with pytest.raises(Trouble, match="being started or stopped"):
            cloud.running(data)


def test_an_old_description_is_gone_before_the_new_process_is_there(data: Path) -> None:
    file = data / "running.json"
    file.write_text(json.dumps({"room": "cloud", "pid": 1, "port": 4600}))

    with socket.create_server((cloud.HOST, 0)) as another:

        def ports() -> Iterator[int]:
            with pytest.raises(Trouble, match="being started or stopped"):
                cloud.running(data)
            yield another.getsockname()[1]

        with pytest.raises(Trouble, match="are all taken by other programs"):
            cloud.start(data, "cloud", ports=ports())
    assert cloud.running(data) is None


def test_two_who_look_at_once_do_not_take_each_other_for_a_cloud(data: Path) -> None:
    file = data / "running.json"
    file.write_text(json.dumps({"room": "cloud", "pid": 1, "port": 4600}))
    with file.open() as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        assert cloud.running(data) is None


def test_a_cloud_that_ended_by_itself_is_stopped(data: Path) -> None:
    def nobody(pid: int, number: int) -> None:
        raise ProcessLookupError

    cloud.stop(data, cloud.EmbeddedCloud("cloud", 4242, 4600), ask=nobody)


def test_only_a_cloud_that_was_killed_leaves_a_word_of_it(data: Path) -> None:
    cloud.stop(data, cloud.start(data, "cloud", ports=own_ports()))
    assert not cloud.was_killed(data, "cloud")
    killed = cloud.start(data, "cloud", ports=own_ports())
    os.kill(killed.pid, signal.SIGKILL)
    os.waitpid(killed.pid, 0)
    assert cloud.running(data) is None
    assert cloud.was_killed(data, "cloud")
    assert not cloud.was_killed(data, "demo")


@pytest.mark.parametrize(("room", "opens"), [(ROOM, "`rewards up` opens"), (DEMO, "`rewards up --demo` opens")])
def test_what_down_keeps_is_opened_again_by_the_command_it_names(data: Path, room: str, opens: str) -> None:
    cloud.start(data, room, ports=own_ports())
    stopped = CliRunner().invoke(app, ["down"], env={"REWARDS_DATA": str(data)})
    assert stopped.exit_code == 0
    assert "its data is kept" in stopped.output
    assert opens in stopped.output
    assert problem_of(room, cloud.running(data), data) is None


def test_one_cloud_is_not_opened_over_the_other_nor_a_demo_that_never_was(tmp_path: Path) -> None:
    demo, own = (cloud.EmbeddedCloud(room, 4242, 4600) for room in (DEMO, ROOM))
    assert "The demo's cloud is running" in str(problem_of(ROOM, demo, tmp_path))
    assert "The embedded cloud is running" in str(problem_of(DEMO, own, tmp_path))
    assert "`rewards demo` makes it" in str(problem_of(DEMO, None, tmp_path))
    assert problem_of(ROOM, None, tmp_path) is None


def test_two_commands_do_not_deploy_at_once(data: Path) -> None:
    with cloud.alone(data), pytest.raises(Trouble, match="wait until it is done"), cloud.alone(data):
        pass


def queues(running: cloud.EmbeddedCloud):  # type: ignore[no-untyped-def]  # boto3's own type is long
    session = boto3.Session(cloud.CREDENTIALS, cloud.CREDENTIALS, region_name=cloud.REGION)
    return session.client("sqs", endpoint_url=running.endpoint)
