"""`rewards dispatch`: do what the schedules do at a given time."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from msgspec import Struct

from ops import clock
from ops.due import due_by, rewards_now
from ops.stack import Stack, connect
from ops.stillness import wait_until_still
from ops.terminal import Aws, Json, counted, err, out, print_json, step
from ops.trouble import Trouble
from rewards.errors import Invalid
from rewards.events import YEARS
from rewards.promotion import RewardType
from rewards.reward import Reward, RewardId
from rewards.status import Status
from rewards.times import instant

LONGEST_JUMP = timedelta(days=62)
"""A mistyped year would make every run between plan hour by hour, and the clock does not go back."""


class Dispatched(Struct, frozen=True):
    """What became of the rewards that were due: numbers of rewards, and the points and coupons of them."""

    execute_time: datetime
    due: int
    granted: int
    granted_points: int
    granted_coupons: int
    recycled: int
    recycled_points: int
    recycled_coupons: int
    cancelled: int
    held: int
    waiting: int


def dispatch(
    execute_time: Annotated[
        str, typer.Option(help="The time the schedules run at, like 2026-11-18T01:01:00+08:00.", metavar="TIME")
    ],
    *,
    aws: Aws = False,
    as_json: Json = False,
) -> None:
    """Plan, dispatch and sweep as the schedules would at TIME, wait until all is done, and report.

    On the embedded cloud, whose schedules stand still, this also moves the clock on to TIME: a week passes in a
    moment, and two months at most. On AWS TIME must have come; use it to repeat a run on purpose: no reward is
    granted twice.
    """
    at = time_of(execute_time)
    stack = connect(aws=aws)
    now = clock.now(stack)
    if problem := problem_of(at, stack, now=now):
        raise typer.BadParameter(problem, param_hint="--execute-time")
    if remark := remark_on(at, stack, now=now):
        err.print(remark)
    local = _local(at, stack)
    with step(f"Dispatching what is due by {local}", f"Dispatched what was due by {local}"):
        done = run(stack, at)
    if as_json:
        print_json(done)
        return
    out.print(words(done))


def words(done: Dispatched) -> str:
    """What an operator reads."""
    due = f"{counted(done.due, 'reward')} {'was' if done.due == 1 else 'were'} due"
    granted = f"{counted(done.granted_points, 'point')}, {counted(done.granted_coupons, 'coupon')}"
    recycled = f"{counted(done.recycled_points, 'point')}, {counted(done.recycled_coupons, 'coupon')}"
    return (
        f"{due}: {done.granted:,} granted ({granted}), {done.recycled:,} taken back ({recycled}), "
        f"{done.cancelled:,} cancelled, {done.held:,} held for a person, {done.waiting:,} waiting on."
    )


def time_of(text: str) -> datetime:
    try:
        at = instant(text, "--execute-time")
    except Invalid as invalid:
        raise typer.BadParameter(invalid.problem, param_hint="--execute-time") from None
    if at.year not in YEARS:
        raise typer.BadParameter(f"{at.year} is no year of trade", param_hint="--execute-time")
    return at


def problem_of(at: datetime, stack: Stack, *, now: datetime) -> str | None:
    """Why time cannot be moved to `at`; None if it can, or need not be."""
    if not stack.embedded and at > now:
        return "is in the future; on AWS time cannot be moved"
    if at - now > LONGEST_JUMP:
        clock_says = _local(now, stack)
        return (
            f"is {(at - now).days:,} days ahead of the cloud's clock, which says {clock_says} "
            f"and does not go back; more than {LONGEST_JUMP.days} days can be gone in steps"
        )
    return None


def remark_on(at: datetime, stack: Stack, *, now: datetime) -> str | None:
    """What an operator may not expect of a time that is past."""
    if not stack.embedded or at >= now:
        return None
    return f"The cloud's clock stays at {_local(now, stack)}: it does not go back."


def _local(at: datetime, stack: Stack) -> str:
    return f"{at.astimezone(stack.zone):%Y-%m-%d %H:%M}"


def run(stack: Stack, at: datetime) -> Dispatched:
    """One run of every schedule at `at`, and what it did to the rewards that were due by then."""
    if stack.embedded and at > clock.now(stack):
        clock.move_to(stack, at)
    before = rewards_now(stack, due_by(stack, at))
    for function, event in scheduled_calls(f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"):
        _call(stack, stack[function], event)
    wait_until_still(stack)
    after = rewards_now(stack, list(before))
    return compared(at, before, after)


def scheduled_calls(time: str) -> list[tuple[str, dict[str, str]]]:
    """What the schedules send at a time, and the outputs that name the functions they call."""
    return [
        ("PlanFunctionName", {"kind": "reward", "execute_time": time}),
        ("PlanFunctionName", {"kind": "recycle", "execute_time": time}),
        ("CollectFunctionName", {"execute_time": time}),
        ("SweepFunctionName", {"execute_time": time}),
    ]


def _call(stack: Stack, function: str, event: dict[str, str]) -> None:
    answer = stack.functions.invoke(FunctionName=function, Payload=json.dumps(event).encode())
    if "FunctionError" in answer:
        raise Trouble(f"{function} failed: {answer['Payload'].read().decode()}")


def compared(at: datetime, before: dict[RewardId, Reward], after: dict[RewardId, Reward]) -> Dispatched:
    """What became of the rewards from before the run to after it."""
    pairs = [(was, after[was.id]) for was in before.values()]
    granted = [(row.reward_type, row.points) for was, row in pairs if row.is_reward and not was.is_reward]
    recycled = [
        (row.reward_type, row.recycle_points - was.recycle_points)
        for was, row in pairs
        if row.recycle_seq > was.recycle_seq
    ]
    return Dispatched(
        execute_time=at,
        due=len(pairs),
        granted=len(granted),
        granted_points=_sum_of("LoyaltyPoints", granted),
        granted_coupons=_sum_of("ECoupon", granted),
        recycled=len(recycled),
        recycled_points=_sum_of("LoyaltyPoints", recycled),
        recycled_coupons=_sum_of("ECoupon", recycled),
        cancelled=sum(row.status is Status.CANCEL for _, row in pairs),
        held=sum(row.held is not None for _, row in pairs),
        waiting=sum(row.due is not None for _, row in pairs),
    )


def _sum_of(kind: RewardType, moved: Iterable[tuple[RewardType, int]]) -> int:
    """What moved of points, or of coupons."""
    return sum(number for each, number in moved if each == kind)
