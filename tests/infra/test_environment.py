"""What the stack sets and what the functions read are the same names."""

import ast
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from rewards.tasks import Queue
from tests.infra.template import Template

BOOTSTRAP = Path(__file__).parents[2] / "functions" / "bootstrap"
PROVIDER_STEPS = {"grant_points", "grant_coupon", "recycle_points", "recycle_coupon"}
READ_BY_POWERTOOLS = {"POWERTOOLS_SERVICE_NAME"}


def names_read() -> set[str]:
    """Every name that `bootstrap` looks up; the one for a task queue stands for each such queue."""
    names: set[str] = set()
    for path in BOOTSTRAP.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(
                    func=ast.Name(id="setting" | "number") | ast.Attribute(attr="get"),
                    args=[ast.Constant(value=str(name)), *_],
                ):
                    names.add(name)
                case ast.Call(func=ast.Name(id="setting"), args=[ast.JoinedStr()]):
                    names |= {f"{queue.upper()}_QUEUE" for queue in get_args(Queue)}
    return names


def names_set(template: Template) -> set[str]:
    return {name for step in template.functions() for name in template.environment(step)}


def test_each_name_that_is_set_is_read(embedded: Template, with_service: Template) -> None:
    assert (names_set(embedded) | names_set(with_service)) - READ_BY_POWERTOOLS <= names_read()


def test_each_name_that_is_read_is_set(embedded: Template, with_service: Template) -> None:
    assert names_read() <= names_set(embedded) | names_set(with_service)


def test_only_who_calls_the_provider_knows_which_it_is(dev: Template, with_service: Template) -> None:
    told = {step: with_service.environment(step) for step in with_service.functions()}
    assert {step for step in told if "PROVIDER" in told[step]} == PROVIDER_STEPS
    for step in PROVIDER_STEPS:
        assert dev.environment(step)["PROVIDER"] == "wallet"
        assert {name: told[step][name] for name in told[step] if name.startswith("PROVIDER")} == {
            "PROVIDER": "http",
            "PROVIDER_URL": "https://rewards.example/v1",
            "PROVIDER_SECRET": "rewards/provider",
        }


def test_only_the_embedded_cloud_has_a_clock_to_move(dev: Template, embedded: Template) -> None:
    assert names_set(embedded) - names_set(dev) == {"EMBEDDED_CLOCK"}


def test_a_step_knows_the_places_it_has_rights_on_and_no_others(dev: Template) -> None:
    places = {name for name in dev.environment("withdraw") if name.endswith(("_TABLE", "_QUEUE", "_BUCKET", "_BUS"))}
    assert places == {
        "LEDGER_TABLE",
        "QUOTA_TABLE",
        "RECYCLE_POINTS_QUEUE",
        "RECYCLE_COUPON_QUEUE",
        "LETTERS_QUEUE",
    }


@pytest.mark.parametrize(
    ("step", "variable", "place"),
    [
        ("book", "GRANT_POINTS_HIGH_QUEUE", "Granting/PointsHigh"),
        ("book", "GRANT_COUPON_HIGH_QUEUE", "Granting/CouponHigh"),
        ("grant_coupon", "COUPONS_TABLE", "Wallet/Coupons"),
        ("dispatch", "GRANT_POINTS_LOW_QUEUE", "Granting/PointsLow"),
        ("dispatch", "RECYCLE_POINTS_QUEUE", "Recycling/Points"),
        ("plan", "DISPATCH_QUEUE", "Planning/DispatchQueue"),
        ("collect", "IMPORT_BUCKET", "Importing/Bucket"),
        ("collect", "MATCH_QUEUE", "Importing/MatchQueue"),
        ("dispatch", "LEDGER_TABLE", "Ledger/Table"),
        ("publish", "REWARDS_BUS", "Publishing/Bus"),
        ("park", "LETTERS_BUCKET", "Letters/Bucket"),
        ("audit", "FINDINGS_BUCKET", "Auditing/Findings"),
    ],
)
def test_a_name_leads_to_its_place(dev: Template, step: str, variable: str, place: str) -> None:
    assert dev.target(dev.environment(step)[variable]) == place


def test_park_knows_whose_each_queue_and_each_function_is(dev: Template) -> None:
    *parts, end = dev.environment("park")["STEPS_BY_NAME"]["Fn::Join"][1]
    names = [dev.target(part) for part in parts[1::2]]
    steps = re.findall(r'":"(\w+)"', "".join([*parts[2::2], end]))
    told = dict(zip(names, steps, strict=True))
    queues = {"Orders/BookQueue": "book", "Granting/CouponLow": "grant_coupon", "Expiring/Timers": "expire"}
    functions = {"Publishing/publish/Function": "publish", "Sweeping/sweep/Function": "sweep"}
    assert queues.items() | functions.items() <= told.items()
    assert set(told.values()) == dev.functions().keys() - {"park"}


def test_a_setting_arrives_as_it_was_set(dev: Template) -> None:
    settings: dict[str, Any] = dev.environment("book")
    assert settings["TIME_ZONE"] == "Asia/Taipei"
    assert settings["BUCKET_COUNT"] == "3"
    assert settings["RETRY_HOURS"] == "10,22"
    assert settings["PUBLISHED_EVENTS"].split(",")[0] == "RewardBooked"
