"""The CDK app: one stack per stage, checked by the rules of AWS Solutions each time it is synthesized."""

import sys

from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks

from infra.config import Config, ConfigError
from infra.rewards_stack import RewardsStack

app = App()
try:
    config = Config.from_context(app.node)
except ConfigError as error:
    sys.exit(f"A setting cannot be used: {error}")
RewardsStack(app, f"Rewards-{config.stage}", config=config)
Validations.of(app).add_plugins(AwsSolutionsChecks(app))
app.synth()
