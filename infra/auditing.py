"""Auditing: the step that checks every write of a reward, and the daily exports for those that look at all tables."""

from aws_cdk import Duration
from constructs import Construct

from infra.bucket import Bucket
from infra.config import Config
from infra.ledger import Ledger
from infra.letters import Letters
from infra.step import Step
from infra.stream import RewardStream


class Auditing(Construct):
    """`findings` is empty as long as all is well."""

    def __init__(self, scope: Construct, id: str, *, config: Config, ledger: Ledger, letters: Letters) -> None:
        super().__init__(scope, id)
        self.findings = Bucket(self, "Findings", config=config)
        step = Step(self, "audit", config=config, timeout=Duration.seconds(60))
        step.may("dynamodb:GetItem", on=ledger.items)
        step.knows(ledger.quota)
        step.may("s3:PutObject", on=self.findings.known_as("FINDINGS_BUCKET"))
        self.stream = RewardStream(step, ledger=ledger, letters=letters)
