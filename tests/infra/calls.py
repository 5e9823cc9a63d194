"""A plugin of pytest: what the steps call AWS for while their tests run, written to the file that CALLS names.

Each line is a step, an action as IAM knows it, and the variable that told the step of the resource.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from botocore.client import BaseClient

OBJECTS = {"ListObjectsV2": "ListBucket", "HeadObject": "GetObject"}
CALL, SUBMIT = BaseClient._make_api_call, ThreadPoolExecutor.submit
in_thread = threading.local()
calls: set[str] = set()


def pytest_configure() -> None:
    BaseClient._make_api_call = noted
    ThreadPoolExecutor.submit = submitted


def pytest_unconfigure() -> None:
    BaseClient._make_api_call = CALL
    ThreadPoolExecutor.submit = SUBMIT
    Path(os.environ["CALLS"]).write_text("\n".join(sorted(calls)))


def noted(client: Any, call: str, told: dict[str, Any]) -> Any:
    if step := _step() or getattr(in_thread, "step", None):
        service = client.meta.service_model.endpoint_prefix
        calls.update(f"{step} {service}:{action} {on}" for action, on in taken(service, call, told))
    return CALL(client, call, told)


def submitted(executor: ThreadPoolExecutor, work: Callable[..., Any], /, *told: Any, **named: Any) -> Any:
    """A step's work in a thread is that step's, which no frame of the thread tells."""
    step = _step()

    def worked(*told: Any, **named: Any) -> Any:
        in_thread.step = step
        return work(*told, **named)

    return SUBMIT(executor, worked, *told, **named)


def taken(service: str, call: str, told: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The actions that a call is allowed by, and the resource of each."""
    match service, told:
        case "dynamodb", {"TransactItems": items}:
            yield from ((f"{name}Item", write["TableName"]) for item in items for name, write in item.items())
        case "dynamodb", {"Statements": statements}:
            for each in statements:
                verb, table, *_ = each["Statement"].replace("INSERT INTO", "INSERT").split()
                yield f"PartiQL{verb.title()}", table.strip('"')
        case "dynamodb", {"RequestItems": tables}:
            yield from ((call, table) for table in tables)
        case "dynamodb", {"TableName": table, **rest}:
            yield call, f"{table}/index/{rest['IndexName']}" if "IndexName" in rest else table
        case "sqs", {"QueueUrl": url}:
            yield call.removesuffix("Batch"), url.rsplit("/", 1)[-1]
        case "s3", {"Bucket": bucket}:
            variable = bucket.upper().replace("-", "_")
            yield OBJECTS.get(call, call), variable if call == "ListObjectsV2" else f"{variable}/*"
        case "events", {"Entries": _}:
            yield call, "REWARDS_BUS"


def _step() -> str | None:
    """The step that is at work, if this is no call of the test itself or of what it gave to the step."""
    frame = sys._getframe(2).f_back
    while frame:
        room, _, name = frame.f_globals.get("__name__", "").partition(".")
        if room in ("steps", "tests"):
            return str(name) if room == "steps" else None
        frame = frame.f_back
    return None
