"""Letters are kept for good and must stay readable: `tests/golden/letters` keeps one of each version."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from rewards.letters import LETTER_VERSION, Letter

GOLDEN = Path(__file__).parent.parent / "golden" / "letters"

LETTERS = {
    "Letter.v1": Letter(
        id="f2c1",
        kind="exhausted",
        step="grant_points",
        source="arn:aws:sqs:ap-northeast-1:123456789012:Rewards-GrantPointsLow",
        body='{"groups":[{"shop_id":"1","member_id":"M1","promotion_id":"28343","orders":["TG20193021"]}]}',
        attributes={"sender": "dispatch"},
        attempts=12,
        error="ReadTimeoutError: Read timeout on endpoint URL",
        first_failed_at=datetime(2026, 11, 9, 18, 1, 2, 345000, tzinfo=UTC),
        failed_at=datetime(2026, 11, 9, 22, 5, tzinfo=UTC),
        service_version="0.1.0",
        shop_id="1",
        order_group="TG20193021",
        promotion_id="28343",
    ),
}


def test_a_letter_reads_as_it_did_when_it_was_new() -> None:
    for name, letter in LETTERS.items():
        assert msgspec.json.decode((GOLDEN / f"{name}.json").read_bytes(), type=Letter) == letter


def test_todays_letter_is_written_as_the_newest_golden_one() -> None:
    name = f"Letter.v{LETTER_VERSION}"
    written = msgspec.json.format(msgspec.json.encode(LETTERS[name]), indent=2)
    assert written + b"\n" == (GOLDEN / f"{name}.json").read_bytes()


def test_every_golden_letter_is_read() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(LETTERS)
