"""The visibility of SQS messages: how long one that was received stays hidden before it is delivered again."""

from typing import TYPE_CHECKING

from rewards.messages import Message

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


class SqsVisibility:
    def __init__(self, client: "SQSClient") -> None:
        self._client = client

    def hide(self, message: Message, seconds: int) -> None:
        """Deliver the message again in so many seconds, 12 hours at most, whatever its queue is set to."""
        *_, account, queue = message.queue.split(":")
        self._client.change_message_visibility(
            QueueUrl=f"{self._client.meta.endpoint_url}/{account}/{queue}",
            ReceiptHandle=message.receipt,
            VisibilityTimeout=seconds,
        )
