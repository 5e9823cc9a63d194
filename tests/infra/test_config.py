"""A wrong setting stops the deployment, with its name."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App

from infra.config import BuiltIn, Config, ConfigError, HttpService
from tests.infra.template import CONTEXT, SERVICE, synthesize

PROJECT = Path(__file__).parents[2]
GOOD = CONTEXT["rewards"] | {"stage": "dev", "embedded": False}


def test_what_cdk_json_holds_is_good() -> None:
    assert Config.parse(GOOD).time_zone == "Asia/Taipei"


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("shards", "16"),
        ("shards", 0),
        ("shards", 16.5),
        ("bucket_count", 0),
        ("start_hour", 24),
        ("stage", "live"),
        ("time_zone", "Asia/Taibei"),
        ("recycle_time", "25:00"),
        ("recycle_time", "9:30"),
        ("dispatch_period_minutes", 45),
        ("dispatch_spread_seconds", 901),
        ("max_concurrency", GOOD["max_concurrency"] | {"dispatch": 1}),
        ("max_concurrency", GOOD["max_concurrency"] | {"dispatch": 711}),
        ("max_concurrency", GOOD["max_concurrency"] | {"grant_everything": 2}),
        ("account_concurrency", 132),
        ("max_concurrency", {"dispatch": 16}),
        ("retry_hours", []),
        ("retry_hours", [10, 24]),
        ("give_up_hours", 0),
        ("give_up_hours", 721),
        ("stock_give_up_days", 0),
        ("stock_give_up_days", 366),
        ("sweep_grace_minutes", 1441),
        ("time_zone", "Asia"),
        ("stage", "prod\n"),
        ("recycle_time", "10:30\n"),
        ("lease_seconds", 60),
        ("lease_seconds", 360),
        ("published_events", ["RewardBookd"]),
        ("shard", 16),
        ("provider", "wallet"),
        ("provider", {"type": "purse"}),
        ("provider", {"type": "wallet", "url": "https://rewards.example"}),
        ("provider", {"type": "http", "url": "https://rewards.example"}),
        ("provider", SERVICE | {"url": "http://rewards.example"}),
        ("provider", SERVICE | {"url": "https://"}),
        ("provider", SERVICE | {"url": "https://user:word@rewards.example"}),
        ("provider", SERVICE | {"url": "https://rewards.example/?shop=1"}),
        ("provider", SERVICE | {"secret": ""}),
        ("provider", SERVICE | {"secret": "*"}),
        ("provider", SERVICE | {"secret": "rewards\n"}),
    ],
)
def test_a_wrong_setting_is_refused_by_name(setting: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=setting):
        Config.parse(GOOD | {setting: value})


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("stage", "prd", "stage: must be dev, stage or prod; it is 'prd'"),
        ("recycle_time", "9:30", "recycle_time: must be a time of day, from 00:00 to 23:59; it is '9:30'"),
        ("shards", "16", "shards: Expected `int`, got `str`; it is '16'"),
        ("retry_hours", [10, 24], "retry_hours[1]: Expected `int` <= 23; it is [10, 24]"),
        ("time_zone", "Asia/Taibei", "time_zone: there is no zone 'Asia/Taibei'"),
        ("shard", 16, "Object contains unknown field `shard`"),
    ],
)
def test_the_error_says_what_the_setting_is_set_to_and_what_it_may_be(setting: str, value: Any, words: str) -> None:
    with pytest.raises(ConfigError) as raised:
        Config.parse(GOOD | {setting: value})
    assert str(raised.value) == words


@pytest.mark.parametrize(
    ("part", "wanted"),
    [
        (
            {"url": "http://rewards.example"},
            "provider.url: must be a URL that begins with https://, without @, ? or #",
        ),
        ({"secret": "*"}, "provider.secret: must be a name of up to 512 letters, digits and /_+=.@-"),
    ],
)
def test_no_error_asks_an_operator_to_read_a_pattern(part: dict[str, str], wanted: str) -> None:
    with pytest.raises(ConfigError) as raised:
        Config.parse(GOOD | {"provider": SERVICE | part})
    assert str(raised.value) == f"{wanted}; it is {SERVICE | part!r}"


@pytest.mark.parametrize(
    ("context", "words"),
    [
        ({"stage": "prd"}, "stage: must be dev, stage or prod; it is 'prd'"),
        ({"rewards": "foo"}, "rewards: must be the settings as cdk.json has them; it is 'foo'"),
    ],
)
def test_a_wrong_setting_on_the_command_line_ends_in_one_line(context: dict[str, Any], words: str) -> None:
    app = subprocess.run(
        [sys.executable, "app.py"],
        cwd=PROJECT,
        env=os.environ | {"CDK_CONTEXT_JSON": json.dumps(CONTEXT | context)},
        capture_output=True,
        text=True,
    )
    assert (app.returncode, app.stderr) == (1, f"A setting cannot be used: {words}\n")


@pytest.mark.parametrize("setting", CONTEXT["rewards"])
def test_a_missing_setting_is_refused_by_name(setting: str) -> None:
    with pytest.raises(ConfigError, match=setting):
        Config.parse({name: value for name, value in GOOD.items() if name != setting})


@pytest.mark.parametrize(("start_hour", "bucket_count", "fits"), [(0, 24, True), (21, 3, True), (22, 3, False)])
def test_the_buckets_end_by_midnight(start_hour: int, bucket_count: int, fits: bool) -> None:
    settings = GOOD | {"start_hour": start_hour, "bucket_count": bucket_count}
    if fits:
        assert Config.parse(settings).bucket_count == bucket_count
    else:
        with pytest.raises(ConfigError, match=r"start_hour \+ bucket_count"):
            Config.parse(settings)


def test_the_queues_leave_a_fifth_of_the_account_to_others() -> None:
    taken = sum(GOOD["max_concurrency"].values())
    assert Config.parse(GOOD | {"account_concurrency": -(-taken * 5 // 4)})
    with pytest.raises(ConfigError, match="80%"):
        Config.parse(GOOD | {"account_concurrency": -(-taken * 5 // 4) - 1})


def test_the_provider_is_the_wallet_or_a_service_with_the_name_of_its_secret() -> None:
    assert Config.parse(GOOD).provider == BuiltIn()
    chosen = Config.parse(GOOD | {"provider": SERVICE}).provider
    assert chosen == HttpService("https://rewards.example/v1", "rewards/provider")


def test_what_is_tried_out_on_the_embedded_cloud_moves_nobodys_real_points() -> None:
    context = {"embedded": "true", "stage": "dev", "rewards": CONTEXT["rewards"] | {"provider": SERVICE}}
    assert Config.from_context(App(context=context, analytics_reporting=False).node).provider == BuiltIn()


def test_the_command_line_says_embedded_with_true_or_false() -> None:
    with pytest.raises(ConfigError, match="embedded"):
        synthesize(embedded="yes")
