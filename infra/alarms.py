"""Alarms: few, for what a person must look into. Each has a line in `docs/runbook.md` that says what to do."""

from collections.abc import Sequence

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from aws_cdk.aws_cloudwatch import ComparisonOperator, IMetric, Metric, TreatMissingData
from constructs import Construct

from infra.config import Config
from infra.stream import RewardStream
from infra.work_queue import DeadLetters, WorkQueue

HOUR = Duration.hours(1)
QUEUES_IN_AN_ALARM = 10  # CloudWatch computes with no more metrics at a time

LETTERS_IN_A_DAY = {"invalid": 3, "refused": 3, "expired": 3, "exhausted": 1, "crashed": 1}
"""From how many letters of a kind on a person should look into it: senders err, our own code should not."""

LETTERS_IN_A_MINUTE = 500
"""From how many letters of a kind on everything of some sort fails, and somebody must look now."""

SWEEPS_WITHOUT_A_PROVIDER = 4
"""Of six an hour: a provider that fails for a moment is nobody's trouble."""

OVERDUE_MINUTES = 240
"""A run that was missed, or failed, is made up for within the hour: what is overdue for so long needs a person."""


class Alarms(Construct):
    """They tell `topic`, which makes tickets, but for what cannot wait until morning: that goes to `incidents`."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        streams: Sequence[RewardStream],
        work: Sequence[WorkQueue],
        dead_letters: Sequence[DeadLetters],
    ) -> None:
        super().__init__(scope, id)
        self.topic = sns.Topic(self, "Topic", enforce_ssl=True)
        self.incidents = sns.Topic(self, "Incidents", enforce_ssl=True)

        for kind, letters in LETTERS_IN_A_DAY.items():
            self._letters(kind.capitalize(), letters)
        self._alarm("PointsShortfall", _counted("Shortfall", by="recycle_points"), 1)
        self._alarm("CouponShortfall", _counted("Shortfall", by="recycle_coupon"), 1)
        self._alarm("HeldForPerson", _counted("HeldForPerson", by="book"), 1)
        self._alarm("HeldForLateLines", _counted("HeldForPerson", by="match"), 1)
        self._alarm("RefusedFiles", _counted("RefusedFiles", by="collect"), 1)
        self._alarm("RejectedRows", _counted("RejectedRows", by="collect"), 1)
        self._alarm("UnreadableRows", _counted("UnreadableRows", by="sweep"), 1)
        self._alarm("OpenBreakers", _counted("OpenBreakers", by="sweep"), SWEEPS_WITHOUT_A_PROVIDER)

        for what in ("Grant", "Recycle"):
            waited = _counted(f"OldestOverdue{what}Minutes", by="sweep", statistic="Maximum")
            self._alarm(f"Overdue{what}s", waited, OVERDUE_MINUTES, missing=TreatMissingData.IGNORE)

        period = Duration.minutes(config.dispatch_period_minutes)
        self._alarm(
            "NothingPlanned",
            _counted("PlannedWindows", by="plan", period=period),
            0,
            is_below=True,
            periods=2,
            missing=TreatMissingData.BREACHING,
        )

        self._too_old("OldWork", work, Duration.days(2))
        self._too_old("OldDeadLetters", dead_letters, Duration.days(7))

        late = _of_all("MAX", [stream.age() for stream in streams], Duration.minutes(5))
        self._alarm("StreamIsLate", late, HOUR.to_milliseconds(), periods=3)
        self._alarm("StreamRecordsSetAside", _of_all("SUM", [stream.set_aside() for stream in streams], HOUR), 1)
        self._alarm("AuditFindings", _counted("AuditFindings", by="audit"), 1)

    def _letters(self, kind: str, in_a_day: int) -> None:
        """A few a day are a ticket, hundreds a minute an incident."""
        counted = f"{kind}Letter"
        self._alarm(f"{kind}Letters", _counted(counted, by="park", period=Duration.days(1)), in_a_day)
        at_once = _counted(counted, by="park", period=Duration.minutes(1))
        self._alarm(f"{kind}LettersFlood", at_once, LETTERS_IN_A_MINUTE, tells=self.incidents)

    def _too_old(self, name: str, queues: Sequence[sqs.Queue], age: Duration) -> None:
        """Half of what a queue remembers: time enough to act."""
        for first in range(0, len(queues), QUEUES_IN_AN_ALARM):
            some = queues[first : first + QUEUES_IN_AN_ALARM]
            self._alarm(f"{name}{first // QUEUES_IN_AN_ALARM + 1}", _age_of(some), age.to_seconds())

    def _alarm(
        self,
        name: str,
        metric: IMetric,
        threshold: float,
        *,
        is_below: bool = False,
        periods: int = 1,
        missing: TreatMissingData = TreatMissingData.NOT_BREACHING,
        tells: sns.ITopic | None = None,
    ) -> None:
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_description=f"{name}: see docs/runbook.md",
            metric=metric,
            threshold=threshold,
            comparison_operator=(
                ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD
                if is_below
                else ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
            ),
            evaluation_periods=periods,
            treat_missing_data=missing,
        )
        alarm.add_alarm_action(actions.SnsAction(tells or self.topic))


def _counted(name: str, *, by: str, period: Duration = HOUR, statistic: str = "Sum") -> Metric:
    """What a step counted in a period."""
    dimensions = {"service": by}
    return Metric(namespace="Rewards", metric_name=name, dimensions_map=dimensions, statistic=statistic, period=period)


def _age_of(queues: Sequence[sqs.Queue]) -> IMetric:
    """Seconds that the oldest message of any of the queues has been waiting."""
    ages = [queue.metric_approximate_age_of_oldest_message(statistic="Maximum", period=HOUR) for queue in queues]
    return _of_all("MAX", ages, HOUR)


def _of_all(function: str, metrics: Sequence[Metric], period: Duration) -> IMetric:
    """The greatest of the metrics, or their sum."""
    named: dict[str, IMetric] = {f"m{number}": metric for number, metric in enumerate(metrics)}
    return cloudwatch.MathExpression(expression=f"{function}(METRICS())", using_metrics=named, period=period)
