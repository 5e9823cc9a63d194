"""Audit: every write of a reward is held to the rules, by functions that had no part in it.

It reads the ledger's stream beside `publish` and changes nothing: what it finds is kept, counted and told of. A batch
may come again from any record on; its findings are then kept under the names they have.
"""

from collections.abc import Iterator

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.auditing import findings, write_in
from bootstrap.ledger import ledger
from bootstrap.timetable import timetable
from rewards.auditing.finding import Finding
from rewards.auditing.times import audit_time
from rewards.auditing.writes import Write, audit_write
from telemetry import logger, metrics, tally


def audit(writes: list[Write | None]) -> None:
    found = [finding for write in writes if write for finding in _findings(write)]
    findings().keep(found)
    tally("AuditFindings", len(found))
    for finding in found:
        logger.error("AuditFinding", extra={"kind": finding.kind, "about": finding.about, "finding": finding.words})


def _findings(write: Write) -> Iterator[Finding]:
    yield from audit_write(write, timetable())
    if (row := write.booked) and (order := ledger().order(row.id.order)):
        yield from audit_time(row, order, timetable(), is_still=False)


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer:
    return delivery.in_order(event, write_in, audit)
