"""The page for those who make the tills' files tells what is really read."""

import json
import re
from datetime import datetime
from pathlib import Path

from ops.folders import PROJECT
from ops.promotions import read
from rewards.crm_orders import Reject
from rewards.crm_rows import COLUMNS
from tests.fakes.world import World
from tests.rewards.crm import Import

PAGE = (Path(__file__).parent.parent / "docs" / "import.md").read_text()


def block(kind: str) -> str:
    found = re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found[1]


def test_the_example_file_is_accepted() -> None:
    example = Import()
    summary = example.read(block("csv").encode())
    assert (summary.accepted, summary.rejected) == (3, 0)
    (order,) = example.orders
    assert (len(order.lines), len(order.returns)) == (2, 1)


def test_the_example_file_earns_what_the_page_says_by_the_sample_promotions() -> None:
    example = Import()
    example.read(block("csv").encode())
    world = World(*read(PROJECT / "samples" / "promotions.json"))
    world.now = datetime.fromisoformat("2026-11-30T06:30:00+08:00")
    world.take_in(*example.orders)
    (row,) = world.ledger.rows.values()
    told = re.search(r"promotion (\d+) gives\s+it (\d+) points", PAGE)
    assert told
    assert (row.id.promotion_id, row.points) == (told[1], int(told[2]))


def test_every_column_that_is_read_has_its_line() -> None:
    table = PAGE[PAGE.index("| column |") :].split("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines()[2:]]
    assert set(re.findall(r"`(\w+)`", "".join(cells))) == set(COLUMNS)


def test_a_reject_has_the_fields_that_are_shown() -> None:
    assert tuple(json.loads(block("json"))) == Reject.__struct_fields__
