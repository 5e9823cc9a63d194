"""What a step loads before its first message: every cold start pays for it."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

FUNCTIONS = Path(__file__).parent.parent / "functions"
STEPS = sorted(path.stem for path in (FUNCTIONS / "steps").glob("*.py") if path.stem != "__init__")
WORKERS = {"grant_points", "grant_coupon", "recycle_points", "recycle_coupon"}

FOR_NO_STEP = {"boto3", "s3transfer", "aws_xray_sdk", "aws_lambda_powertools.utilities.batch"}
"""Where points and coupons are with somebody else's service, its adapter is loaded with the first call."""

ONLY_FOR = {
    "adapters.breakers": WORKERS | {"dispatch", "sweep"},
    "adapters.bus": {"publish"},
    "adapters.control": {"plan", "sweep"},
    "adapters.coupon_pool": {"grant_coupon", "recycle_coupon"},
    "adapters.crm_files": {"collect"},
    "adapters.due_index": {"dispatch", "sweep"},
    "adapters.findings": {"audit"},
    "adapters.history": {"publish"},
    "adapters.http_provider": set(),
    "adapters.lists": WORKERS | {"dispatch", "sweep"},
    "adapters.promotions": {"book", "match", "occupy"},
    "adapters.set_aside": {"park"},
    "adapters.stream": {"audit", "publish"},
    "adapters.wallet": {"grant_points", "recycle_points"},
    "zoneinfo": WORKERS | {"audit", "book", "match", "occupy", "publish", "rebook", "withdraw"},
}


@cache
def loaded_by(step: str) -> frozenset[str]:
    """The modules of a fresh process that has imported the step."""
    ask = f"import sys, steps.{step}; print(*sys.modules)"
    environment = {"PYTHONPATH": str(FUNCTIONS), "POWERTOOLS_SERVICE_NAME": step}
    done = subprocess.run([sys.executable, "-c", ask], env=environment, check=True, capture_output=True, text=True)
    return frozenset(done.stdout.split())


@pytest.mark.parametrize("step", STEPS)
def test_no_step_loads_what_none_needs(step: str) -> None:
    assert not loaded_by(step) & FOR_NO_STEP


@pytest.mark.parametrize("module", ONLY_FOR)
def test_a_module_is_loaded_by_the_steps_that_use_it_and_by_no_others(module: str) -> None:
    assert {step for step in STEPS if module in loaded_by(step)} == ONLY_FOR[module]
