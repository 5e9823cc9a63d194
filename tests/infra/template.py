"""A synthesized template, and its resources by the names they have in `infra/`, such as `Granting/PointsLow`."""

import json
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

from aws_cdk import App

from infra.config import Config
from infra.rewards_stack import RewardsStack

CONTEXT = json.loads((Path(__file__).parents[2] / "cdk.json").read_text())["context"]
SERVICE = {"type": "http", "url": "https://rewards.example/v1", "secret": "rewards/provider"}
FASTER = {"aws:cdk:disable-asset-staging": True, "aws:cdk:enable-path-metadata": True}

Properties = dict[str, Any]


class Template:
    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content
        self.resources: dict[str, Any] = content["Resources"]
        self.outputs: dict[str, Any] = content["Outputs"]

    def all(self, kind: str) -> dict[str, Properties]:
        """Properties of all resources of a kind, by name."""
        return {
            self.name(id): resource.get("Properties", {})
            for id, resource in self.resources.items()
            if resource["Type"] == kind
        }

    def name(self, id: str) -> str:
        path = self.resources[id]["Metadata"]["aws:cdk:path"]
        return path.split("/", 1)[1].removesuffix("/Resource")

    def target(self, reference: Any) -> str:
        """The name behind a reference to a resource or to a part of it."""
        match reference:
            case {"Fn::GetAtt": [id, "Arn" | "StreamArn" | "QueueName"]} | {"Ref": id}:
                return self.name(id)
            case {"Fn::Join": ["", [first, *rest]]} if all(isinstance(part, str) for part in rest):
                return self.target(first) + "".join(rest)
            case {"Fn::Join": ["", parts]}:
                return "".join(part if isinstance(part, str) else part.get("Ref", str(part)) for part in parts)
        return str(reference)

    def functions(self) -> dict[str, Properties]:
        """The functions by the name of their step."""
        return {
            properties["Handler"].split(".")[1]: properties
            for properties in self.all("AWS::Lambda::Function").values()
            if properties["Handler"].startswith("steps.")
        }

    def environment(self, step: str) -> dict[str, Any]:
        return self.functions()[step]["Environment"]["Variables"]

    def rights(self, step: str) -> dict[str, set[str]]:
        """What the role of a step may do, by what it may do it on."""
        role = self.functions()[step]["Role"]["Fn::GetAtt"][0]
        rights: dict[str, set[str]] = defaultdict(set)
        for policy in self.all("AWS::IAM::Policy").values():
            if {"Ref": role} not in policy["Roles"]:
                continue
            for statement in policy["PolicyDocument"]["Statement"]:
                assert statement["Effect"] == "Allow"
                for action, on in product(_listed(statement["Action"]), _listed(statement["Resource"])):
                    rights[self.target(on)].add(action)
        return dict(rights)


def synthesize(**context: Any) -> Template:
    """The template for settings that differ from `cdk.json`."""
    app = App(context=CONTEXT | FASTER | context, analytics_reporting=False)
    config = Config.from_context(app.node)
    stack = RewardsStack(app, f"Rewards-{config.stage}", config=config)
    return Template(app.synth().get_stack_by_name(stack.stack_name).template)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
