"""No step may do more than it does, nor does it more than it may: told by what it calls in all its tests."""

import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests.embedded.test_rights_enforced import BY_AWS
from tests.infra.template import Template
from tests.infra.test_rights import RIGHTS
from tests.soak import IS_SOAK

pytestmark = pytest.mark.skipif(not IS_SOAK, reason="runs the tests of all steps once more: in `make soak`")

ROOT = Path(__file__).parents[2]
Used = dict[str, set[tuple[str, str]]]


TOLD = ("tests/steps", "tests/faults/test_a_crash_at_every_call.py", "-k", "not every_call or dies")
BY_AWS_ON = re.compile(r".*/Failed\w+|Letters/Bucket(/\*)?|Tasks/Bucket")
"""Where AWS keeps what a step that it calls by itself could not do; `park` alone has other business in that bucket. And
whether a list is missing, AWS tells only those who may list the lists."""


@pytest.fixture(scope="module")
def used(dev: Template, tmp_path_factory: pytest.TempPathFactory) -> Used:
    """By step: actions, and the names in the template of what they were done on."""
    calls = tmp_path_factory.mktemp("calls") / "calls"
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "tests.infra.calls", "-p", "no:cacheprovider", *TOLD]
    subprocess.run(
        tests, cwd=ROOT, env={**os.environ, "CALLS": str(calls), "SOAK": ""}, check=True, stdout=subprocess.DEVNULL
    )
    used: Used = defaultdict(set)
    for line in calls.read_text().splitlines():
        step, action, on = line.split(maxsplit=2)
        variable, slash, rest = on.partition("/")
        if variable != "gone":  # what a test took away
            used[step].add((action, dev.target(dev.environment(step).get(variable, variable)) + slash + rest))
    return used


@pytest.mark.parametrize("step", RIGHTS)
def test_a_step_makes_use_of_each_of_its_rights(dev: Template, used: Used, step: str) -> None:
    rights = {(action, on) for on, actions in dev.rights(step).items() for action in actions}
    own = {(action, on) for action, on in rights if not BY_AWS.match(action)}
    if step != "park":
        own = {(action, on) for action, on in own if not BY_AWS_ON.fullmatch(on)}
    calls = {(action, on) for action, on in used[step] if action != "sqs:ChangeMessageVisibility"}
    assert calls <= rights, "calls that would be refused"
    assert own <= calls, "rights that no test of the step makes use of"
