"""What this project needs changed in MiniStack, the AWS inside the embedded cloud's process.

A change belongs here only where the emulator answers unlike AWS in a way that matters to us, or would not fit two
cores; each says why. They reach into the emulator's inner parts, which is why its version is pinned exactly.
"""

import copy
import hashlib
import io
import json
import os
import re
import tempfile
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ministack.core import iam_actions, lambda_runtime
from ministack.services import dynamodb, eventbridge, lambda_svc, scheduler, sqs
from ministack.services.cloudformation import provisioners

from ops.embedded.streams import InOrder, retries, set_aside

WORKERS_FOR_A_QUEUE = 2
"""Every worker is a process, and a queue that says nothing else would start five."""

spawn_with_own_layers = lambda_runtime.Worker._spawn
state_without_streams = dynamodb.get_state
load_without_streams = dynamodb.load_persisted_state
update_without_stream = dynamodb._partiql_update
run_without_sources = lambda_svc._run_sqs_batch
right_of_the_call = iam_actions.extract_iam_action
rights_of_a_transaction = iam_actions.dynamodb_transaction_checks
STATEMENT = re.compile(r'\s*(?P<verb>\w+)\s+(?:.*?(?:FROM|INTO)\s+)?"?(?P<table>[\w.-]+)', re.IGNORECASE | re.DOTALL)
state_of_queues = sqs.get_state
unpacking = threading.Lock()


def make() -> None:
    """Make every change; before the emulator starts."""
    scheduler.start_scheduler = stand_still
    eventbridge.start_scheduler = stand_still
    dynamodb.get_state = state_with_streams
    dynamodb.load_persisted_state = load_with_streams
    dynamodb._partiql_update = update_with_stream
    sqs.get_state = state_of_one_moment
    lambda_svc._run_sqs_batch = run_with_sources
    lambda_svc._execute_function = InOrder(lambda_svc._execute_function, retries, set_aside)
    iam_actions.extract_iam_action = right_it_takes
    iam_actions.dynamodb_transaction_checks = rights_it_takes
    lambda_svc._ESM_SQS_DEFAULT_CONCURRENCY = WORKERS_FOR_A_QUEUE
    lambda_runtime.Worker._spawn = spawn_with_shared_layers
    schedules = provisioners._RESOURCE_HANDLERS["AWS::Scheduler::Schedule"]
    for action in ("create", "update"):
        schedules[action] = with_its_time_zone(schedules[action])
    alarms = {"create": make_no_alarm, "delete": delete_no_alarm}
    provisioners._RESOURCE_HANDLERS["AWS::CloudWatch::Alarm"] = alarms


def stand_still() -> None:
    """Let no schedule fire by itself.

    Time on the embedded cloud is what `rewards dispatch` says it is: a schedule that fires at the real minute would
    work in the middle of another day, and two runs of the demo would not come out equal. (It would also fire at
    the wrong hour: the emulator reads every schedule as UTC.)
    """


def with_its_time_zone(provision: Callable[..., Any]) -> Callable[..., Any]:
    """Let a schedule keep the time zone of its template, which the emulator leaves out.

    Nothing fires by it, but `rewards schedule` tells when a job would run, as it is deployed.
    """

    def provision_schedule(*arguments: Any) -> tuple[str, Any]:
        name, attributes = provision(*arguments)
        properties = arguments[-2]
        stored = scheduler._schedules[f"{properties['GroupName']}/{name}"]
        stored["ScheduleExpressionTimezone"] = properties["ScheduleExpressionTimezone"]
        return name, attributes

    return provision_schedule


def make_no_alarm(logical_id: str, _properties: dict[str, Any], stack: str) -> tuple[str, dict[str, Any]]:
    """Take an alarm of the template and let it be.

    The emulator knows no figures of queues and refuses an alarm that computes with several; there is nobody on call.
    """
    return f"{stack}-{logical_id}", {}


def delete_no_alarm(_name: str, _properties: dict[str, Any]) -> None:
    """There is nothing to delete."""


def state_with_streams() -> dict[str, Any]:
    """Keep the tables' streams over a stop, too.

    The emulator keeps how far each stream was read but not the stream: after a start nothing would be read from it.
    """
    streams = {"records": dynamodb._stream_records, "trimmed": dynamodb._stream_trimmed}
    return {**state_without_streams(), "streams": copy.deepcopy(streams)}


def load_with_streams(state: dict[str, Any]) -> None:
    load_without_streams(state)
    streams = state.get("streams", {})
    dynamodb._stream_records.update(streams.get("records", {}))
    dynamodb._stream_trimmed.update(streams.get("trimmed", {}))


def update_with_stream(table: Any, parsed: Any, data: Any = None) -> Any:
    """Let a statement that changes an item leave a record in the table's stream, as any other change does.

    The emulator forgets it; so of a reward granted in a batch there would be no history, and nobody would be told.
    """
    partition, sort, *_ = dynamodb._partiql_key_target(table, parsed)
    before = table["items"].get(partition, {}).get(sort)
    answer = update_without_stream(table, parsed, data)
    if answer[0] == 200:
        dynamodb._emit_stream_event(table["TableName"], "MODIFY", before, table["items"][partition][sort])
    return answer


def state_of_one_moment() -> dict[str, Any]:
    """Keep the queues as they are at one moment.

    While the emulator copies them for a stop its pollers go on to receive and delete; a message that changes under the
    copy breaks it off, and then no queue is kept at all.
    """
    with sqs._queues_lock:
        state: dict[str, Any] = state_of_queues()
    return state


def run_with_sources(mapping: Any, function: Any, event: Any, batch: Any, *rest: Any) -> Any:
    """Tell a function of a dead letter which queue it was first sent to.

    The emulator keeps that and tells it to those who receive by themselves. Without it a letter has no way back.
    """
    sources = {message["id"]: message["sys"].get("DeadLetterQueueSourceArn") for message in batch}
    for record in event["Records"]:
        if source := sources[record["messageId"]]:
            record["attributes"]["DeadLetterQueueSourceArn"] = source
    return run_without_sources(mapping, function, event, batch, *rest)


def right_it_takes(service: str, *request: Any) -> str | None:
    """Ask of a batch the right that each of its messages takes: AWS knows no other, and no policy can give one."""
    right: str | None = right_of_the_call(service, *request)
    return right.removesuffix("Batch") if right and service == "sqs" else right


def rights_it_takes(call: str, body: bytes, region: str, account: str) -> list[tuple[str, str]]:
    """Ask of each PartiQL statement its own right on its table, as AWS does; the emulator would ask that of the call.

    No policy gives the right to a call, so one whose statements are not understood is refused.
    """
    if "Execute" not in call:
        checks: list[tuple[str, str]] = rights_of_a_transaction(call, body, region, account)
        return checks
    told = json.loads(body)
    texts = [each["Statement"] for each in told.get("Statements") or told.get("TransactStatements") or [told]]
    found = [STATEMENT.match(text) for text in texts]
    if not all(found):
        return []
    tables = f"arn:aws:dynamodb:{region}:{account}:table/"
    return [(f"dynamodb:PartiQL{each['verb'].capitalize()}", tables + each["table"]) for each in found if each]


def spawn_with_shared_layers(worker: Any) -> None:
    """Start a function's process on layers unpacked once for all.

    Each process would unpack them for itself: thousands of files, which took two thirds of the demo's time.
    """
    config = worker.config
    folders = [str(unpacked(layer)) for layer in config.get("Layers", [])]
    variables = {**config.get("Environment", {}).get("Variables", {}), "_LAMBDA_LAYERS_DIRS": os.pathsep.join(folders)}
    worker.config = {**config, "Layers": [], "Environment": {"Variables": variables}}
    try:
        spawn_with_own_layers(worker)
    finally:
        worker.config = config


def unpacked(layer: Any) -> Path:
    content = lambda_svc._resolve_layer_zip(layer)
    folder = Path(tempfile.gettempdir(), "layers", hashlib.sha256(content).hexdigest())
    with unpacking:
        if not folder.exists():
            unfinished = folder.with_suffix(".unfinished")
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                archive.extractall(unfinished)
            unfinished.rename(folder)
    return folder
