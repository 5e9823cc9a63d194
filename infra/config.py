"""Every setting of the stack, from the context in `cdk.json`, checked before anything is synthesized.

A wrong setting must stop the deployment, not the first order that meets it: so types are strict ("3" is no number),
names nobody knows are refused, and what must hold between two settings is checked here.
"""

import re
from typing import Annotated, Any, Self, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from constructs import Node
from msgspec import Meta, Struct, ValidationError, convert

from rewards.reward_events import EVENT_NAMES
from rewards.tasks import Queue

Stage = Annotated[str, Meta(pattern=r"^(dev|stage|prod)\Z", description="dev, stage or prod")]
Count = Annotated[int, Meta(ge=1)]
Hour = Annotated[int, Meta(ge=0, le=23)]
TimeOfDay = Annotated[
    str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]\Z", description="a time of day, from 00:00 to 23:59")
]
HttpsUrl = Annotated[
    str,
    Meta(
        pattern=r"^https://[^/?#@\s]+(/[^?#\s]*)?\Z", description="a URL that begins with https://, without @, ? or #"
    ),
]
NameOfSecret = Annotated[
    str, Meta(pattern=r"^[A-Za-z0-9/_+=.@-]{1,512}\Z", description="a name of up to 512 letters, digits and /_+=.@-")
]
MaxConcurrency = Annotated[int, Meta(ge=2, le=1000)]

ACCOUNT_SHARE = 0.8
"""How much of the account's concurrency the queues may hold, so that the other steps always find some."""

VISIBILITY_TIMEOUTS = 6
"""A queue hides a message for so many timeouts of its function, as Lambda asks, so that throttles are no retries."""

LIMITED = ("dispatch", "match", *get_args(Queue))
"""Queues whose workers call others, who must not be overrun, or that are filled by the million: each has its
`max_concurrency`."""

ON_THE_EMBEDDED_CLOUD: dict[str, Any] = {
    "provider": {"type": "wallet"},
    "dispatch_spread_seconds": 0,
    "import_spread_seconds": 0,
    "max_concurrency": dict.fromkeys(LIMITED, 2),
}
"""What the embedded cloud sets otherwise: what is tried out there must not move a member's real points, there is no
crowd to spread, and every worker is a process of its own on a machine of two cores."""


class ConfigError(Exception):
    """A setting in `cdk.json` or on the command line cannot be used."""


class BuiltIn(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="wallet"):
    """Points and coupons are in the stack's own tables."""


class HttpService(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="http"):
    """They are with a service at this URL; `secret` names, in Secrets Manager, the token that opens its door."""

    url: HttpsUrl
    secret: NameOfSecret


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings. `work` is what grants and recycles do: claim a row, call the provider, settle."""

    stage: Stage
    embedded: bool
    provider: BuiltIn | HttpService
    time_zone: str
    dispatch_period_minutes: Count
    dispatch_spread_seconds: Annotated[int, Meta(ge=0, le=900)]
    import_spread_seconds: Annotated[int, Meta(ge=0, le=900)]
    recycle_time: TimeOfDay
    start_hour: Hour
    bucket_count: Count
    shards: Annotated[int, Meta(ge=1, le=256)]
    work_timeout_seconds: Annotated[int, Meta(ge=1, le=900)]
    lease_seconds: Count
    give_up_hours: Annotated[int, Meta(ge=1, le=720)]
    retry_hours: Annotated[tuple[Hour, ...], Meta(min_length=1)]
    stock_give_up_days: Annotated[int, Meta(ge=1, le=365)]
    sweep_grace_minutes: Annotated[int, Meta(ge=1, le=1440)]
    sweep_limit: Count
    published_events: tuple[str, ...]
    max_concurrency: dict[str, MaxConcurrency]
    account_concurrency: Count

    @classmethod
    def from_context(cls, node: Node) -> Self:
        """Read `cdk.json`, and `stage` and `embedded` from the command line too, which has only strings."""
        stage, embedded = node.get_context("stage"), node.get_context("embedded")
        if embedded not in ("true", "false"):
            raise ConfigError(f'embedded: "true" or "false", not {embedded!r}')
        settings = node.get_context("rewards")
        if not isinstance(settings, dict):
            raise ConfigError(f"rewards: must be the settings as cdk.json has them; it is {settings!r}")
        settings = settings | {"stage": stage, "embedded": embedded == "true"}
        return cls.parse(settings | (ON_THE_EMBEDDED_CLOUD if embedded == "true" else {}))

    @classmethod
    def parse(cls, settings: dict[str, Any]) -> Self:
        """Raises ConfigError, which names the setting and what it is set to."""
        try:
            return convert(settings, cls)
        except ValidationError as error:
            raise ConfigError(_words(str(error), settings)) from None

    def __post_init__(self) -> None:
        try:
            ZoneInfo(self.time_zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError for what is a folder of zones, like Asia
            raise ValueError(f"time_zone: there is no zone {self.time_zone!r}") from None
        if unknown := set(self.published_events).difference(EVENT_NAMES):
            raise ValueError(f"published_events: there is no {', '.join(sorted(unknown))}")
        if 60 % self.dispatch_period_minutes:
            raise ValueError("dispatch_period_minutes: must divide the hour into equal parts")
        if self.start_hour + self.bucket_count > 24:
            raise ValueError("start_hour + bucket_count: the buckets must end by midnight, at 24")
        if not self.work_timeout_seconds < self.lease_seconds < VISIBILITY_TIMEOUTS * self.work_timeout_seconds:
            raise ValueError(
                "lease_seconds: must be longer than work_timeout_seconds, or two workers hold a row; "
                f"and shorter than {VISIBILITY_TIMEOUTS} times it, or a message comes back to a row still locked"
            )
        if self.max_concurrency.keys() != set(LIMITED):
            raise ValueError(f"max_concurrency: a number for each of {', '.join(LIMITED)}, and for no other")
        workers = sum(self.max_concurrency.values())
        if workers > ACCOUNT_SHARE * self.account_concurrency:
            raise ValueError(
                f"max_concurrency: the queues together take {workers}, "
                f"more than {ACCOUNT_SHARE:.0%} of account_concurrency ({self.account_concurrency})"
            )

    @property
    def keeps_data(self) -> bool:
        """In production the data outlives the stack; elsewhere it goes with it."""
        return self.stage == "prod"

    def environment(self) -> dict[str, str]:
        """The settings the functions read, under the names they know them by."""
        return {
            "TIME_ZONE": self.time_zone,
            "DISPATCH_PERIOD_MINUTES": str(self.dispatch_period_minutes),
            "DISPATCH_SPREAD_SECONDS": str(self.dispatch_spread_seconds),
            "START_HOUR": str(self.start_hour),
            "BUCKET_COUNT": str(self.bucket_count),
            "SHARDS": str(self.shards),
            "LEASE_SECONDS": str(self.lease_seconds),
            "GIVE_UP_HOURS": str(self.give_up_hours),
            "IMPORT_SPREAD_SECONDS": str(self.import_spread_seconds),
            "RECYCLE_TIME": self.recycle_time,
            "RETRY_HOURS": ",".join(map(str, self.retry_hours)),
            "STOCK_GIVE_UP_DAYS": str(self.stock_give_up_days),
            "SWEEP_GRACE_MINUTES": str(self.sweep_grace_minutes),
            "SWEEP_LIMIT": str(self.sweep_limit),
            "PUBLISHED_EVENTS": ",".join(self.published_events),
        }


_IN_WORDS = {
    repr(meta.pattern): meta.description for _, meta in map(get_args, (Stage, TimeOfDay, HttpsUrl, NameOfSecret))
}
"""What a pattern asks for, in place of the pattern as msgspec names it."""


def _words(error: str, settings: dict[str, Any]) -> str:
    """Where msgspec tells the place of what is wrong: the setting first, and what it is set to at the end."""
    told = re.fullmatch(r"(.*) - at `\$\.((\w+).*)`", error)
    if told is None:
        return error
    asked = told[1].removeprefix("Expected `str` matching regex ")
    wanted = f"must be {_IN_WORDS[asked]}" if asked in _IN_WORDS else asked
    return f"{told[2]}: {wanted}; it is {settings[told[3]]!r}"
