"""The CDK app: one stack per stage, checked by the rules of AWS Solutions each time it is synthesized."""

from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks

from infra.config import Config
from infra.rewards_stack import RewardsStack

app = App()
config = Config.from_context(app.node)
RewardsStack(app, f"Rewards-{config.stage}", config=config)
Validations.of(app).add_plugins(AwsSolutionsChecks(app))
app.synth()
