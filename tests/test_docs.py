"""Docs that can be checked are."""

import json
import re
from pathlib import Path

import pytest

from rewards.events import parse_payment_completed
from rewards.promotions import parse_promotions
from rewards.reward_events import EVENT_NAMES, Detail
from rewards.status import TRANSITIONS, Status

ROOT = Path(__file__).parent.parent
CONTRACT = (ROOT / "docs" / "contract.md").read_text()
README = (ROOT / "README.md").read_text()
STEPS = {path.stem for path in (ROOT / "functions" / "steps").glob("*.py")} - {"__init__"}
EXAMPLES = re.findall(r"```json\n(.*?)```", CONTRACT, re.DOTALL)


def rows(text: str, first: str) -> list[list[str]]:
    """The cells of the table whose header begins with `first`."""
    table = text[text.index(f"| {first} |") :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table[2:]]


def test_the_status_table_is_the_transition_table() -> None:
    def words(statuses: tuple[Status | None, ...]) -> str:
        return ", ".join(status.value if status else "–" for status in statuses)

    told = [
        [words(step.before), step.event, words(step.after) + (f" ({step.note})" if step.note else "")]
        for step in TRANSITIONS
    ]
    assert rows(CONTRACT, "from") == told


@pytest.mark.parametrize("readme", ["README.md", "README.zh-TW.md"])
def test_the_step_table_is_the_folder(readme: str) -> None:
    text = (ROOT / readme).read_text()
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == STEPS


def test_every_event_out_is_named() -> None:
    assert set(re.findall(r"`(Reward[A-Z]\w+)`", CONTRACT)) == set(EVENT_NAMES)


def test_the_example_event_is_accepted() -> None:
    event = parse_payment_completed(EXAMPLES[0])
    assert event.order.id.order_group == "TG20193021"


def test_the_example_promotion_is_accepted() -> None:
    (promotion,) = parse_promotions(EXAMPLES[1])
    assert promotion.quota


def test_the_example_of_an_event_out_has_the_fields_it_really_has() -> None:
    assert set(json.loads(EXAMPLES[2])) == set(Detail.__struct_encode_fields__)


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")) + sorted(ROOT.glob("*.md")), ids=str)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_every_promise_names_tests_by_file_and_name_that_exist() -> None:
    for promise, _, proofs in rows((ROOT / "docs" / "reliability.md").read_text(), "promise"):
        named = re.findall(r"`([^`]+)`", proofs)
        assert named, promise
        assert proofs == ", ".join(f"`{test}`" for test in named), "nothing stands there but tests"
        for test in named:
            file, name = test.split("::")
            source = (ROOT / file).read_text()
            assert re.search(rf"^(def {name}\(|class {name}\b|{name} = )", source, re.MULTILINE), test


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")) + sorted(ROOT.glob("*.md")), ids=str)
def test_no_page_is_left_in_the_middle_of_a_merge(page: Path) -> None:
    assert not re.search(r"^(<{7}|={7}|>{7})", page.read_text(), re.MULTILINE)
