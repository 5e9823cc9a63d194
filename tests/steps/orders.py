"""Order events as the bus brings them, made from the golden ones."""

import json
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent.parent / "golden" / "events"


def an_event(kind: str, **detail: Any) -> str:
    """The golden event of this kind, with these fields of its detail changed."""
    event = json.loads((GOLDEN / f"{kind}.v1.json").read_text())
    event["detail"] |= detail
    return json.dumps(event)


PAID = an_event("PaymentCompleted")
"""1,590 by member 0012345 in shop 1."""

ALL_RETURNED = an_event("OrderReturned", return_id="R-all", lines="all")

POISON = '{"detail-type": "PaymentCompleted", "detail": {"event_id": "e"}}'
