"""Importing: the bucket that shops put their files into, and the steps that make bookings of them."""

from aws_cdk import Duration
from constructs import Construct

from infra.bucket import Bucket
from infra.granting import Granting
from infra.recycling import Recycling
from infra.rooms import Rooms
from infra.step import Resource, Step
from infra.work_queue import DeadLetters, WorkQueue


class Importing(Construct):
    """`collect` cuts files into batches of orders, `match` books and withdraws them: from a day's file to its rows."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        rooms: Rooms,
        granting: Granting,
        recycling: Recycling,
    ) -> None:
        super().__init__(scope, id)
        self.bucket = Bucket(self, "Bucket", config=rooms.config)

        match = Step(self, "match", config=rooms.config, timeout=Duration.seconds(60))
        orders = WorkQueue(
            self,
            "MatchQueue",
            drained_by=match,
            tries=12,
            batch_size=1,
            max_concurrency=rooms.config.max_concurrency["match"],
        )
        batches = orders.known_as("MATCH_QUEUE")
        match.may(
            "dynamodb:Query", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", on=rooms.ledger.items
        )
        match.may("dynamodb:BatchGetItem", "dynamodb:UpdateItem", on=rooms.ledger.quota)
        match.may("dynamodb:Query", on=rooms.promotions.items)
        for queue in (*granting.high, *recycling.queues.values(), batches):  # to itself, an order that failed
            match.may("sqs:SendMessage", on=queue)
        rooms.letters.take_from(match)

        self.step = Step(self, "collect", config=rooms.config, timeout=Duration.seconds(300))
        files = WorkQueue(self, "CollectQueue", drained_by=self.step, tries=5, batch_size=1)
        self._read_and_write(self.step)
        for queue in (files.known_as("COLLECT_QUEUE"), batches):  # to itself, shops, files and what it had no time for
            self.step.may("sqs:SendMessage", on=queue)
        rooms.letters.take_from(self.step)
        self.step.gives_up_to(DeadLetters(self, "FailedRuns"))
        rooms.jobs.start(self.step, undelivered=DeadLetters(self, "Undelivered"))

    def _read_and_write(self, step: Step) -> None:
        """Files are read; summaries and rejects are written beside them."""
        objects = self.bucket.known_as("IMPORT_BUCKET")
        step.may("s3:GetObject", "s3:PutObject", on=objects)
        step.may("s3:ListBucket", on=Resource(objects.variable, objects.address, self.bucket.bucket_arn))
