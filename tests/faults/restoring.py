"""A restore to a point in time: our tables are as they were, and the providers know of all that came since."""

from typing import Any

from tests.fakes.tables import make_ledger_table, make_table
from tests.faults.stack import Stack

Backup = dict[str, list[dict[str, Any]]]
RESTORED = {"LEDGER_TABLE": ("Order", "Item"), "QUOTA_TABLE": ("Counted",), "CONTROL_TABLE": ("Item",)}
"""All to the same time: the control table says since when there may be work in the ledger."""


def back_up(stack: Stack) -> Backup:
    return {table: stack.dynamodb.scan(TableName=table)["Items"] for table in RESTORED}


def restore(stack: Stack, backup: Backup) -> None:
    """The stream of a restored ledger begins with its next change."""
    for table, keys in RESTORED.items():
        stack.dynamodb.delete_table(TableName=table)
        if table == "LEDGER_TABLE":
            make_ledger_table(stack.dynamodb, table)
        else:
            make_table(stack.dynamodb, table, *keys)
        for item in backup[table]:
            stack.dynamodb.put_item(TableName=table, Item=item)
    stack.stream.begin(stack.dynamodb)
