import os
from collections import Counter

import pytest
from hypothesis import settings

# No test may reach a real account, whatever the machine is set up for.
os.environ |= {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "ap-northeast-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}
for variable in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
    os.environ.pop(variable, None)

settings.register_profile("steady", deadline=None)  # a busy machine is no failure
settings.load_profile("steady")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How much was tried by tests that try many cases, and note how many."""
    tried: Counter[str] = Counter()
    for report in terminalreporter.getreports("passed"):
        tried.update(dict(report.user_properties))
    if tried:
        terminalreporter.write_line("Tried " + ", ".join(f"{number:,} {what}" for what, number in tried.items()))
