"""The one logger and the one set of metrics.

What went well is counted, and the ledger's history tells it; a log line is for what did not go well. Neither knows
more of a member than identifiers.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider

from rewards.outcomes import GivenUp, HeldForPerson, OfOrder, OfReward, Shortfall, ToldOtherwise, Unsettled

NAMED_AT_MOST = 10

Outcome = OfOrder | OfReward


class _OnlyWhatHappened(AmazonCloudWatchEMFProvider):
    """A run in which nothing was counted writes nothing, instead of a warning."""

    def flush_metrics(self, raise_on_empty_metrics: bool = False) -> None:
        if self.metric_set:
            super().flush_metrics(raise_on_empty_metrics)


logger = Logger()
metrics = Metrics(provider=_OnlyWhatHappened(namespace="Rewards"))


def count(outcomes: Outcome | Iterable[Outcome]) -> None:
    """Count what came of a message, one outcome or several, each under the name of its class."""
    each = [outcomes] if isinstance(outcomes, OfOrder | OfReward) else [*outcomes]
    for name, number in Counter(type(outcome).__name__ for outcome in each).items():
        tally(name, number)
    for outcome in each:
        name = type(outcome).__name__
        match outcome:
            case Unsettled(reward=reward, problem=problem):
                logger.warning(name, extra={"reward": reward, "problem": problem})
            case Shortfall(reward=reward) | HeldForPerson(reward=reward) | GivenUp(reward=reward):
                logger.warning(name, extra={"reward": reward})
            case ToldOtherwise(order=order):
                logger.warning(name, extra={"order": order})


def tell_unreadable(keys: Sequence[str]) -> None:
    """Count the rows of the due index that nobody can read, and name some: they stand there until a person looks."""
    tally("UnreadableRows", len(keys))
    if keys:
        logger.error("rows of the due index cannot be read", extra={"keys": keys[:NAMED_AT_MOST]})


def tally(name: str, number: int = 1) -> None:
    """Count what has no outcome of its own: a message that is tried again, or all the rewards of a window."""
    metrics.add_metric(name, MetricUnit.Count, number)
