"""botocore's knowledge of AWS, cut down to what the functions ask of it.

It brings the descriptions of four hundred services with all their documentation, looks through the folder for every
client it makes, and reads where each service is in each region. A cold start pays for all of that.
"""

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

SERVICES = ("dynamodb", "events", "s3", "secretsmanager", "sqs")
"""Those that `functions/bootstrap/clients.py` makes clients of."""


def trim(data: Path) -> None:
    """Leave in botocore's data folder these services only, each in its newest version and without its documentation."""
    for service in (entry for entry in data.iterdir() if entry.is_dir()):
        *older, newest = sorted(service.iterdir())
        for folder in older if service.name in SERVICES else [service]:
            shutil.rmtree(folder)
        if service.name in SERVICES:
            _trim_service(newest)
    endpoints = data / "endpoints.json"
    places = json.loads(endpoints.read_bytes())
    for partition in places["partitions"]:
        partition["services"] = {name: place for name, place in partition["services"].items() if name in SERVICES}
    _write(endpoints, places)


def _trim_service(folder: Path) -> None:
    for file in folder.iterdir():
        if file.name.startswith("examples"):
            file.unlink()
        elif file.name.endswith(".json.gz"):
            described = json.loads(gzip.decompress(file.read_bytes()))
            _write(file.with_suffix(""), _undocumented(described))
            file.unlink()


def _undocumented(described: Any) -> Any:
    """Its texts are made empty, since botocore asks for them here and there; a shape's member may have their name."""
    match described:
        case dict():
            return {
                name: "" if name == "documentation" and isinstance(value, str) else _undocumented(value)
                for name, value in described.items()
            }
        case list():
            return [_undocumented(value) for value in described]
        case _:
            return described


def _write(file: Path, content: Any) -> None:
    file.write_text(json.dumps(content, separators=(",", ":")))
