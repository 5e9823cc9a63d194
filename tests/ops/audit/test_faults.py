"""Tables in order leave nothing to find; each fault planted in them is found, and nothing else is with it."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import replace

from adapters.items import Item, history_item, order_item, reward_item
from adapters.wallet_items import granted
from ops.audit.export import WITHOUT_WALLET
from ops.audit.run import audit
from ops.folders import PROJECT
from rewards.auditing.finding import Finding, Kind
from rewards.history import Change, HistoryItem
from rewards.provider import PointsGrant
from rewards.reward import Held, Lock, Reward
from rewards.status import Status
from tests.builders import NOW, its_due_keys
from tests.fakes.exported import (
    DUE,
    GRANTED,
    LATER,
    M1,
    ORDER,
    READ_AT,
    RECYCLED,
    REVOKED,
    WAITS,
    Exported,
)
from tests.fakes.world import TIMETABLE

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def findings(tables: Exported, folder: Path, at: datetime = READ_AT) -> list[Finding]:
    tables.write(folder, at)
    return audit(folder, TIMETABLE).findings


def test_tables_in_order_leave_nothing_to_find(tmp_path: Path) -> None:
    assert findings(Exported(), tmp_path) == []


def test_what_was_looked_at_is_counted(tmp_path: Path) -> None:
    Exported().write(tmp_path)
    audited = audit(tmp_path, TIMETABLE)
    assert (audited.as_of, audited.items, audited.orders, audited.rewards) == (READ_AT, 22, 1, 3)


def a_grant(key: str, points: int) -> Item:
    return granted(PointsGrant(key, M1, points, "points"))


def spoil(table: str, item: str, **attributes: dict[str, object] | None) -> Callable[[Exported], None]:
    """Write over attributes of an item, or take them off it; with none, take the item away."""

    def spoil(tables: Exported) -> None:
        items = getattr(tables, table)
        if not attributes:
            del items[item]
            return
        spoilt = items[item] | attributes
        items[item] = {name: value for name, value in spoilt.items() if value is not None}

    return spoil


def n(number: int) -> dict[str, object]:
    return {"N": str(number)}


def s(text: str) -> dict[str, object]:
    return {"S": text}


def s_of_the_last_day() -> dict[str, object]:
    return s(DUE.sort.replace("2026-12-24T04:00Z", "9999-12-31T23:59Z"))


def moved(keys: str) -> str:
    """The same place half a month later."""
    return keys.replace("2026-12-24", "2027-01-08")


def row(after: Reward) -> Callable[[Exported], None]:
    return lambda tables: tables.keep(after)


def order(**fields: object) -> Callable[[Exported], None]:
    return lambda tables: tables.ledger.update(order=order_item(replace(ORDER, **fields)))


LOCK = Lock("token", NOW, "grant", "1#TG20193021#waits#grant#0", 50)

FAULTS: dict[str, tuple[set[str], Callable[[Exported], None]]] = {
    "an item is none of ours": ({"unreadable"}, lambda tables: tables.ledger.update(odd={"Order": n(1), "Item": n(2)})),
    "a count counts nothing": (
        {"unreadable"},
        lambda tables: tables.quota.update(odd={"Counted": {"S": "all"}, "Used": n(1)}),
    ),
    "an entry has a key of its own": (
        {"unreadable"},
        lambda tables: tables.wallet.update(odd=a_grant("GOODWILL-2026-12", 50)),
    ),
    "the wallet has an item of its own": (
        {"unreadable"},
        lambda tables: tables.wallet.update(odd={"Member": {"S": "1#M1"}, "Item": {"S": "BONUS"}, "Points": n(50)}),
    ),
    "the ledger has an item of its own": (
        {"unreadable"},
        lambda tables: tables.ledger.update(odd=tables.ledger["order"] | {"Item": {"S": "NOTE#1"}}),
    ),
    "a reward has a copy": (
        {"unreadable"},
        lambda tables: tables.ledger.update(odd=tables.ledger["points"] | {"Item": s("REWARD#points#x")}),
    ),
    "a row says of itself that it changed later": ({"version"}, row(replace(RECYCLED, version=2))),
    "a time lies where no window ends": (
        {"due keys", "unreadable"},
        spoil("ledger", "waits", BookingTimeUTC=s_of_the_last_day()),
    ),
    "a reward's row is garbled": ({"unreadable"}, spoil("ledger", "points", Status={"S": "Perhaps"})),
    "an order is gone": ({"orphan"}, spoil("ledger", "order")),
    "the order did not match": ({"orphan"}, order(decisions=ORDER.decisions | {"points": "no"})),
    "a match has no reward": ({"lost"}, order(decisions=ORDER.decisions | {"more": "matched"})),
    "a granted reward is gone": ({"lost", "orphan"}, spoil("ledger", "points")),
    "a waiting one was lowered by nobody": ({"amount"}, row(replace(WAITS, points=49))),
    "too little was taken back": ({"amount", "effect"}, row(replace(RECYCLED, recycle_points=49))),
    "nothing was taken back": ({"amount", "history", "effect"}, row(GRANTED)),
    "a code is not the row's": ({"effect"}, row(replace(REVOKED, codes=("A", "B", "D")))),
    "more than there was was taken": ({"sums", "amount"}, row(replace(RECYCLED, shortfall=51))),
    "it is granted and waits": ({"sums", "effect"}, row(replace(WAITS, is_reward=True))),
    "the booking time is another": ({"booking time", "due keys"}, row(replace(WAITS, booking_time=LATER + DAY))),
    "a waiting one is out of the index": (
        {"lost"},
        spoil("ledger", "waits", BookingDateUTC=None, BookingTimeUTC=None),
    ),
    "a waiting one stands in another month": (
        {"due keys"},
        spoil("ledger", "waits", BookingDateUTC=s(moved(DUE.partition)), BookingTimeUTC=s(moved(DUE.sort))),
    ),
    "a waiting one stands in a date that is not its slot's": (
        {"due keys"},
        spoil("ledger", "waits", BookingDateUTC=s(moved(DUE.partition))),
    ),
    "a waiting one stands in a slot before its time": (
        {"due keys"},
        row(replace(WAITS, due=its_due_keys(replace(WAITS, booking_time=LATER - 2 * HOUR)))),
    ),
    "a granted one is to be recycled some day": (
        {"due keys"},
        row(
            replace(
                RECYCLED, due=DUE._replace(sort=DUE.sort.replace("waits", "points"), partition="recycle#2026-12-24#00")
            )
        ),
    ),
    "a cancelled one holds its place": (
        {"place", "history"},
        row(replace(WAITS.cancel("gone", by="test", at=NOW), place=WAITS.place)),
    ),
    "a hand cancelled it and gave its place back": (
        {"history", "quota"},
        row(replace(WAITS, status=Status.CANCEL, due=None, place=None)),
    ),
    "a granted one stands in the index": ({"due keys"}, row(replace(RECYCLED, due=DUE))),
    "a claim has another's key": (
        {"lock"},
        row(replace(WAITS, lock=replace(LOCK, until=READ_AT, key="1#TG20193021#waits#grant#7"))),
    ),
    "a claim was let lie": ({"stuck"}, row(replace(WAITS, lock=LOCK))),
    "a change is missing in the history": ({"history"}, spoil("ledger", "points 2")),
    "the last change is missing": ({"history"}, spoil("ledger", "points 3")),
    "the history names another before it": ({"history"}, spoil("ledger", "points 3", Previous=n(1))),
    "a history goes where none goes": ({"transition", "history"}, spoil("ledger", "points 1", To={"S": "Reward"})),
    "a history has no reward": (
        {"orphan"},
        lambda tables: tables.ledger.update(
            alone=tables.ledger["points 1"] | {"Item": {"S": "HISTORY#nobody#00000001"}}
        ),
    ),
    "the wallet has no grant": ({"effect"}, spoil("wallet", "grant")),
    "the wallet granted more": ({"effect"}, spoil("wallet", "grant", Points=n(101))),
    "the wallet collected nothing": ({"effect", "account"}, spoil("wallet", "reclaim")),
    "a grant was made twice": (
        {"effect"},
        lambda tables: tables.wallet.update(again=a_grant("1#TG20193021#points#grant#1", 100)),
    ),
    "an entry has no reward": (
        {"orphan"},
        lambda tables: tables.wallet.update(alien=a_grant("1#TG9#points#grant#0", 5)),
    ),
    "another member got it": ({"effect"}, spoil("wallet", "grant", Member={"S": "1#M2"})),
    "the reclaims are miscounted": ({"account"}, spoil("wallet", "reclaims", Count=n(2))),
    "the count of reclaims is gone": ({"account"}, spoil("wallet", "reclaims")),
    "coupons were issued under no key": ({"effect", "coupon"}, spoil("coupons", "issue")),
    "a revoke is not in the books": ({"effect", "coupon"}, spoil("coupons", "revoke")),
    "a revoked coupon can still be used": ({"coupon"}, spoil("coupons", "B", State={"S": "issued"})),
    "a coupon is gone": ({"coupon", "stock"}, spoil("coupons", "C")),
    "a coupon is in no known state": ({"stock", "unreadable"}, spoil("coupons", "C", State=s("valid"))),
    "a coupon is another member's": ({"coupon"}, spoil("coupons", "C", Member={"S": "1#M2"})),
    "a coupon is of another template": ({"coupon", "stock"}, spoil("coupons", "C", Template={"S": "MUG"})),
    "the stock issued another number": ({"stock"}, spoil("coupons", "stock", Issued=n(4))),
    "more was issued than there was": ({"stock"}, spoil("coupons", "stock", Left=n(-1))),
    "a place is taken by nobody": ({"quota"}, spoil("quota", "shard", Used=n(2))),
    "a place was given back twice": ({"quota"}, spoil("quota", "member", Used=n(0))),
    "a count is gone": ({"quota"}, spoil("quota", "shard")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault: str, tmp_path: Path) -> None:
    kinds, plant = FAULTS[fault]
    tables = Exported()
    plant(tables)
    assert {finding.kind for finding in findings(tables, tmp_path)} == kinds


OF_THE_PROVIDER = {"effect", "account", "coupon", "stock"}
ONLY_THERE = {
    "an entry has no reward",
    "an entry has a key of its own",
    "the wallet has an item of its own",
    "a coupon is in no known state",
}
"""What only its books show; an orphan, or what cannot be read, may be an entry of theirs, or the ledger's own."""


@pytest.mark.parametrize("fault", FAULTS)
def test_where_a_service_is_the_provider_all_but_what_it_did_is_found(fault: str, tmp_path: Path) -> None:
    kinds, plant = FAULTS[fault]
    tables = Exported()
    plant(tables)
    tables.wallet, tables.coupons = {}, {}
    tables.write(tmp_path)
    still_found = set() if fault in ONLY_THERE else kinds - OF_THE_PROVIDER
    assert {each.kind for each in audit(tmp_path, TIMETABLE, WITHOUT_WALLET).findings} == still_found


def test_tables_in_order_leave_nothing_to_find_where_a_service_is_the_provider(tmp_path: Path) -> None:
    tables = Exported()
    tables.wallet, tables.coupons = {}, {}
    tables.write(tmp_path)
    audited = audit(tmp_path, TIMETABLE, WITHOUT_WALLET)
    assert (audited.findings, audited.rewards, audited.compared) == ([], 3, WITHOUT_WALLET)
    assert {each.kind for each in audit(tmp_path, TIMETABLE).findings} == {"effect"}, "what it would say otherwise"


def test_what_is_long_overdue_is_stuck(tmp_path: Path) -> None:
    assert findings(Exported(), tmp_path / "early", LATER + DAY) == []
    (stuck,) = findings(Exported(), tmp_path / "late", LATER + DAY + timedelta(hours=1, seconds=1))
    assert (stuck.kind, stuck.about) == ("stuck", "1/TG20193021/waits")


def test_a_place_held_long_after_its_deadline_is_stuck(tmp_path: Path) -> None:
    tables = Exported()
    occupies = replace(WAITS, status=Status.OCCUPY, unpaid_until=NOW)
    occupies = replace(occupies, due=TIMETABLE.due("expire", occupies, now=NOW))
    tables.keep(occupies)
    tables.ledger["waits 1"] = history_item(HistoryItem.of(Change(None, occupies)))
    assert {each.kind for each in findings(tables, tmp_path)} == {"stuck"}


def test_what_waits_for_a_person_is_neither_lost_nor_stuck(tmp_path: Path) -> None:
    tables = Exported()
    tables.keep(replace(WAITS, held=Held("exhausted", "no answer"), lock=LOCK))
    assert findings(tables, tmp_path, LATER + 30 * DAY) == []


def test_an_effect_that_a_claim_is_about_is_no_stranger(tmp_path: Path) -> None:
    tables = Exported()
    tables.keep(replace(WAITS, lock=replace(LOCK, until=READ_AT)))
    tables.wallet["grant of it"] = a_grant(LOCK.key, 50)
    assert findings(tables, tmp_path) == []


def test_a_row_that_changed_lately_may_be_ahead_of_the_books_but_not_behind_them(tmp_path: Path) -> None:
    tables = Exported()
    just_now = replace(RECYCLED, version=4, changed_version=4, changed_at=READ_AT, recycle_points=40)
    tables.ledger["points"] = reward_item(just_now)
    assert findings(tables, tmp_path / "ahead") == []
    tables.ledger["points"] = reward_item(replace(just_now, recycle_seq=0))
    assert {each.kind for each in findings(tables, tmp_path / "behind")} == {"effect"}


def test_a_promotion_whose_rewards_move_may_differ_by_as_many_places(tmp_path: Path) -> None:
    tables = Exported()
    tables.keep(replace(WAITS, changed_at=READ_AT))
    tables.quota["shard"] |= {"Used": n(2)}
    assert findings(tables, tmp_path / "by one") == []
    tables.quota["shard"] |= {"Used": n(3)}
    assert {each.kind for each in findings(tables, tmp_path / "by two")} == {"quota"}


def test_a_coupon_taken_back_by_another_name_of_its_member_is_in_order(tmp_path: Path) -> None:
    """A return may name the member as known now."""
    tables = Exported()
    tables.coupons["revoke"] |= {"Member": s("1#M9")}
    assert findings(tables, tmp_path) == []


def test_every_kind_of_finding_is_planted_somewhere() -> None:
    in_writes = {"gone", "version", "unrecorded", "snapshot"}
    assert set.union(*(kinds for kinds, _ in FAULTS.values())) | in_writes == set(get_args(Kind))


def test_every_kind_of_finding_is_explained_to_operators() -> None:
    section = (PROJECT / "docs" / "operate.md").read_text().split("## The audit")[1]
    first_cells = re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)
    assert sorted(kind for cell in first_cells for kind in re.findall(r"`([\w ]+)`", cell)) == sorted(get_args(Kind))
