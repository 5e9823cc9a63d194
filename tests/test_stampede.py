"""The figures the bench prints, which docs/decisions/0010 rests on."""

import pytest

from bench import stampede


def test_by_the_digest_of_its_name_alone_a_job_meets_another_nearly_always() -> None:
    assert f"{stampede.collision(30, 60):.5f}" == "0.99986"
    assert f"{stampede.filled(30, 60):.1f}" == "23.8"


@pytest.mark.parametrize(
    ("count", "plain", "by_name", "assigned"), [(30, 90, 15, 3), (60, 180, 15, 3), (300, 900, 54, 15)]
)
def test_the_peak_of_simultaneous_requests(count: int, plain: int, by_name: int, assigned: int) -> None:
    names = stampede.jobs(count)
    assert [stampede.peak(starts(names)) for starts in stampede.WAYS.values()] == [plain, by_name, assigned]
