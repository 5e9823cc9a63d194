"""The bus that reward events go out by."""

from typing import TYPE_CHECKING

import msgspec

from rewards.reward_events import RewardEvent

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient
    from mypy_boto3_events.type_defs import PutEventsRequestEntryTypeDef

BATCH_EVENTS = 10
SOURCE = "rewards"
TRIES = 3


class NotPublishedError(Exception):
    """Events the bus did not take, after they were tried again."""


class EventBridgeBus:
    def __init__(self, client: "EventBridgeClient", bus: str) -> None:
        self._client = client
        self._bus = bus

    def publish(self, events: list[RewardEvent]) -> None:
        """Publish them all, in their order as far as the bus takes them. Raises NotPublishedError."""
        for start in range(0, len(events), BATCH_EVENTS):
            self._publish_batch([self._entry(event) for event in events[start : start + BATCH_EVENTS]])

    def _publish_batch(self, entries: "list[PutEventsRequestEntryTypeDef]") -> None:
        """The call may answer well and still have failed for some entries: those are sent again."""
        for _ in range(TRIES):
            results = self._client.put_events(Entries=entries)["Entries"]
            failed = [(entry, result) for entry, result in zip(entries, results, strict=True) if "ErrorCode" in result]
            if not failed:
                return
            entries = [entry for entry, _ in failed]
        raise NotPublishedError(f"{len(failed)} events: {failed[0][1]['ErrorCode']}")

    def _entry(self, event: RewardEvent) -> "PutEventsRequestEntryTypeDef":
        return {
            "EventBusName": self._bus,
            "Source": SOURCE,
            "DetailType": event.name,
            "Detail": msgspec.json.encode(event.detail).decode(),
            "Time": event.at,
        }
