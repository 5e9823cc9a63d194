"""The provider of points and coupons: the wallet that is built in, or somebody else's HTTP service."""

from dataclasses import dataclass

from aws_cdk import ArnFormat, Stack

from infra.config import BuiltIn, HttpService
from infra.step import Resource, Step
from infra.wallet import Wallet


@dataclass(frozen=True)
class Provider:
    """Whom the steps call that give and take back. The wallet keeps what it has while a service is chosen."""

    chosen: BuiltIn | HttpService
    wallet: Wallet

    @property
    def name(self) -> str:
        """Which it is, for those who call it and for the operator's command."""
        return "wallet" if isinstance(self.chosen, BuiltIn) else "http"

    def serves(self, step: Step) -> None:
        """Let a step that gives or takes back do it there."""
        step.function.add_environment("PROVIDER", self.name)
        match self.chosen:
            case BuiltIn():
                self.wallet.serves(step)
            case HttpService(url=url, secret=secret):
                step.function.add_environment("PROVIDER_URL", url)
                step.may("secretsmanager:GetSecretValue", on=_secret(step, secret))


def _secret(step: Step, name: str) -> Resource:
    """A secret that is not the stack's own; Secrets Manager ends its address with six characters of its choice."""
    arn = Stack.of(step).format_arn(
        service="secretsmanager",
        resource="secret",
        resource_name=f"{name}-??????",
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )
    return Resource("PROVIDER_SECRET", name, arn)
