"""Counting what is asked of AWS: every request, and what is billed for it.

    counting = Counting(boto3.Session())      # a session of its own, to look at items before and after a write
    counting.hears(session)                 # whatever clients made of this session from now on ask
    with counting.of("book"):
        ...
    counting.asked                            # one `Asked` for each request that was answered
    counting.written                          # one `Written` for each item and each index entry written
    billed(counting.asked)                    # by the names that the bill has: {"DynamoDB write units": 12, ...}
    price_list.dollars(billed(...))           # at list price

A request that botocore tried again counts as often as it was sent. Nothing of Lambda's pollers is seen, nor of what
EventBridge delivers. DynamoDB's units are worked out from the items as they are before and after, at the rules of
`item_sizes`. Who states the other rules:

- A transaction counts twice, cancelled or not.
  https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
- An index counts once where its entry comes, changes or goes, twice where its keys change, else not at all.
  https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html
- In a transaction an index counts no more than outside of one, and a statement of a batch counts like a write by
  itself. AWS's guide says neither; others have measured both, by the capacity that DynamoDB reports.
  https://github.com/nubo-db/dynoxide/pull/188
- SQS bills a request for each 64 KB of it begun, however many messages (up to ten) are in it.
  https://aws.amazon.com/sqs/pricing/
- EventBridge bills each event by itself, and for each 64 KB of it begun.
  https://aws.amazon.com/eventbridge/pricing/
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import boto3

from bench.item_sizes import item_bytes, read_units, write_units

Item = Mapping[str, Any]

CHUNK = 64 * 1024

BILLED_ERRORS = ("ConditionalCheckFailedException", "TransactionCanceledException")


class Asked(NamedTuple):
    """A request: who asked, for what, and how much of the `bill` it is."""

    by: str
    service: str
    operation: str
    bill: Mapping[str, float]


class Written(NamedTuple):
    """An item, or an entry of an index if `index_name` is not empty; `item` is how its sort key begins."""

    by: str
    table: str
    index_name: str
    item: str
    units: int
    size: int


class Touched(NamedTuple):
    """An item that a request writes, as it is before that."""

    table: str
    key: Item
    before: Item


class Counting:
    """`asked` and `written` of every session that is heard, in order."""

    def __init__(self, looking: boto3.Session) -> None:
        self.asked: list[Asked] = []
        self.written: list[Written] = []
        self._by = ""
        self._tables = Tables(looking)

    def hears(self, session: boto3.Session) -> None:
        session.events.register("provide-client-params", self._before)
        session.events.register("response-received", self._after)

    @contextmanager
    def of(self, by: str) -> Iterator[None]:
        """What is asked meanwhile is asked by this step."""
        before, self._by = self._by, by
        try:
            yield
        finally:
            self._by = before

    def _before(self, params: dict[str, Any], model: Any, context: dict[str, Any], **_: Any) -> None:
        touched = list(self._tables.touched(model.name, params)) if _service(model) == "dynamodb" else []
        context["counted"] = _service(model), model.name, dict(params), touched  # a client may clear what it was given

    def _after(self, response_dict: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        if response_dict is None:  # the connection broke: nobody knows what was done
            return
        service, operation, params, touched = context["counted"]
        bill: Mapping[str, float] = {}
        match service:
            case "dynamodb":
                bill = self._of_dynamodb(operation, params, touched, response_dict)
            case "sqs":
                bill = {"SQS requests": _chunks(params, *params.get("Entries", ()))}
            case "s3":
                bill = {"S3 reads" if operation in ("GetObject", "HeadObject") else "S3 writes": 1}
            case "events":
                bill = {"EventBridge events": sum(map(_chunks, params.get("Entries", ())))}
        self.asked.append(Asked(self._by, service, operation, bill))

    def _of_dynamodb(
        self, operation: str, params: dict[str, Any], touched: list[Touched], response: dict[str, Any]
    ) -> Mapping[str, float]:
        answer = json.loads(response["body"])
        if answer.get("__type", "").rpartition("#")[2] not in ("", *BILLED_ERRORS):
            return {}
        if not touched:
            return {"DynamoDB read units": _read_units(operation, params, answer)}
        times = 2 if operation == "TransactWriteItems" else 1
        written = [each for item in touched for each in self._tables.written(self._by, item, times)]
        self.written += written
        return {"DynamoDB write units": sum(each.units for each in written)}


class Tables:
    """The tables as they are: keys, indexes, and items before and after a write."""

    def __init__(self, session: boto3.Session) -> None:
        self._client = session.client("dynamodb")
        self._known: dict[str, Any] = {}

    def touched(self, operation: str, params: dict[str, Any]) -> Iterator[Touched]:
        """The items that a request writes, or tries to."""
        for table, where in _writes(operation, params):
            key = self._key(table, where)
            yield Touched(table, key, self._item(table, key))

    def written(self, by: str, touched: Touched, times: int) -> Iterator[Written]:
        table, before, after = touched.table, touched.before, self._item(touched.table, touched.key)
        size = max(item_bytes(before), item_bytes(after))
        kind = list(touched.key.values())[-1]["S"].split("#")[0]
        yield Written(by, table, "", kind, times * write_units(size), size)
        for index in self._table(table).get("GlobalSecondaryIndexes", ()):
            entries = [self._entry(table, index, item) for item in (before, after)]
            if units := _index_units(index, *entries):
                yield Written(by, table, index["IndexName"], kind, units, max(map(item_bytes, entries)))

    def _key(self, table: str, where: Item) -> Item:
        names = [each["AttributeName"] for each in self._table(table)["KeySchema"]]
        return {name: where[name] for name in names}

    def _item(self, table: str, key: Item) -> Item:
        found: Item = self._client.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item", {})
        return found

    def _entry(self, table: str, index: Any, item: Item) -> Item:
        """What of the item stands in the index: nothing unless it has all its keys."""
        keys = [each["AttributeName"] for each in index["KeySchema"]]
        if not all(key in item for key in keys):
            return {}
        if index["Projection"]["ProjectionType"] == "ALL":
            return item
        own = [each["AttributeName"] for each in self._table(table)["KeySchema"]]
        names = {*keys, *own, *index["Projection"].get("NonKeyAttributes", ())}
        return {name: value for name, value in item.items() if name in names}

    def _table(self, name: str) -> Any:
        if name not in self._known:
            self._known[name] = self._client.describe_table(TableName=name)["Table"]
        return self._known[name]


def billed(asked: Iterable[Asked]) -> Counter[str]:
    """All that is on the bill for these requests, by name."""
    total: Counter[str] = Counter()
    for each in asked:
        total.update(each.bill)
    return total


def _service(model: Any) -> str:
    name: str = model.service_model.service_name
    return name


def _chunks(*sent: Item) -> int:
    """What messages that are sent together, or one event, are billed as; one where nothing is said, as in a delete."""
    texts = (each.get(name, "") for each in sent for name in ("MessageBody", "Source", "DetailType", "Detail"))
    return max(1, -(-sum(len(text.encode()) for text in texts) // CHUNK))


def _writes(operation: str, params: dict[str, Any]) -> Iterator[tuple[str, Item]]:
    """Each table and item that a request writes; of the item at least its key."""
    match operation:
        case "PutItem" | "UpdateItem" | "DeleteItem":
            yield params["TableName"], params.get("Key") or params["Item"]
        case "TransactWriteItems":
            for action in params["TransactItems"]:
                (write,) = action.values()
                yield write["TableName"], write.get("Key") or write["Item"]
        case "BatchWriteItem":
            for table, requests in params["RequestItems"].items():
                for request in requests:
                    (write,) = request.values()
                    yield table, write.get("Key") or write["Item"]
        case "BatchExecuteStatement":
            for statement in params["Statements"]:
                if not statement["Statement"].startswith("SELECT"):
                    yield _of_statement(statement)


def _of_statement(statement: dict[str, Any]) -> tuple[str, Item]:
    """The table of a PartiQL statement, and what it says of attributes that equal a parameter."""
    text = statement["Statement"]
    table = re.search(r'(?:INTO|UPDATE|FROM)\s+"([^"]+)"', text)
    assert table  # noqa: S101 - every statement here names one
    of: dict[str, Any] = {}
    for match in re.finditer(r"""["']?(\w+)["']?\s*[:=]\s*\?""", text):
        place = text.count("?", 0, match.end() - 1)
        of[match[1]] = statement["Parameters"][place]
    return table[1], of


def _index_units(index: Any, before: Item, after: Item) -> int:
    """An entry that changes its keys is taken away here and put there."""
    if before == after:
        return 0
    keys = [each["AttributeName"] for each in index["KeySchema"]]
    if before and after and any(before[key] != after[key] for key in keys):
        return write_units(item_bytes(before)) + write_units(item_bytes(after))
    return write_units(max(item_bytes(before), item_bytes(after)))


def _read_units(operation: str, params: dict[str, Any], answer: Any) -> float:
    """A query is billed by its page, everything else by the item; what is not there is billed like a small one.

    That is of what is read, not of what a filter or a projection leaves: no call that is counted here has either.
    """
    is_consistent = params.get("ConsistentRead", False)
    match operation:
        case "GetItem":
            return read_units(item_bytes(answer.get("Item", {})), is_consistent=is_consistent)
        case "Query" | "Scan":
            return read_units(sum(map(item_bytes, answer.get("Items", ()))), is_consistent=is_consistent)
        case "BatchGetItem":
            return sum(
                read_units(item_bytes(item), is_consistent=params["RequestItems"][table].get("ConsistentRead", False))
                for table, items in answer["Responses"].items()
                for item in [*items, *[{}] * (len(params["RequestItems"][table]["Keys"]) - len(items))]
            )
        case "BatchExecuteStatement":
            return sum(
                read_units(item_bytes(each.get("Item", {})), is_consistent=asked.get("ConsistentRead", False))
                for asked, each in zip(params["Statements"], answer["Responses"], strict=True)
            )
    raise ValueError(f"{operation} is not counted")
