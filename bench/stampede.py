"""How many requests the shops' API gets at once from jobs that are all meant for the whole hour.

    python -m bench.stampede

Simulated second by second: a job sends its requests together when it starts, and each is answered after a while.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from math import perm

from rewards.stagger import assign, offset

REQUESTS = 3
ANSWERED_AFTER = 2
"""Seconds that a request is under way."""

SECONDS = 60
MINUTES = 60

Starts = Callable[[list[str]], Iterable[int]]
"""The second of the hour at which each of the jobs starts."""


def plain_cron(names: list[str]) -> Iterable[int]:
    return [0 for _ in names]


def seconds_by_name(names: list[str]) -> Iterable[int]:
    """Within the first minute, at the second that the digest of the name gives."""
    return [offset(name, SECONDS) for name in names]


def minutes_assigned(names: list[str]) -> Iterable[int]:
    return [minute * SECONDS for minute in assign(names, MINUTES).values()]


WAYS: dict[str, Starts] = {
    "plain cron": plain_cron,
    "seconds by name": seconds_by_name,
    "assign": minutes_assigned,
}


def peak(starts: Iterable[int]) -> int:
    """The most requests under way in any second."""
    under_way = Counter(start + second for start in starts for second in range(ANSWERED_AFTER))
    return REQUESTS * max(under_way.values())


def jobs(count: int) -> list[str]:
    return [f"job {number}" for number in range(count)]


def collision(names: int, slots: int) -> float:
    """The probability that any two of `names` share one of `slots` when each takes any of them."""
    return 1 - perm(slots, names) / float(slots**names)


def filled(names: int, slots: int) -> float:
    """How many of `slots` hold any of `names` in the mean, when each takes any of them."""
    return slots * (1 - (1 - 1 / slots) ** names)


def main() -> None:
    print(f"Peak of simultaneous requests: {REQUESTS} from each job, each answered after {ANSWERED_AFTER} s\n")
    print(f"{'jobs':>5}" + "".join(f"{way:>18}" for way in WAYS))
    for count in (30, 60, 300):
        print(f"{count:5}" + "".join(f"{peak(starts(jobs(count))):18}" for starts in WAYS.values()))
    names, slots = 30, 60
    by_digest, assigned = (len(set(starts(jobs(names)))) for starts in (seconds_by_name, minutes_assigned))
    print(
        f"\n{names} names on {slots} slots by digest: two share one with probability {collision(names, slots):.5f};\n"
        f"{filled(names, slots):.1f} slots are filled in the mean; these jobs fill {by_digest}, assigned {assigned}."
    )


if __name__ == "__main__":
    main()
